/**
 * Wires the handlers that describe and change a cluster: metadata, topics and settings. Start with {@link
 * io.sluice.broker.administration.AdministrationHandlers}.
 */
@NullMarked
package io.sluice.broker.administration;

import org.jspecify.annotations.NullMarked;
