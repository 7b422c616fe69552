/**
 * Serves the Kafka protocol over sockets.
 */
@NullMarked
package io.sluice.broker;

import org.jspecify.annotations.NullMarked;
