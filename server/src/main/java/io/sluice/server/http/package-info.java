/**
 * The admin port: metrics, health and the connected clients over HTTP, on one event loop of its own, so that it answers
 * while the node recovers or is busy. Start with {@link io.sluice.server.http.AdminServer}.
 */
@NullMarked
package io.sluice.server.http;

import org.jspecify.annotations.NullMarked;
