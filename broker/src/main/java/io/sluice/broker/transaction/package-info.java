/**
 * APIs of transactions, and the markers that end them in this node's logs. Handlers ask the coordinator through {@link
 * io.sluice.coordinator.transaction.TransactionPort}; start reading at {@link io.sluice.broker.transaction.LocalMarkers}.
 * Everything here is safe on every thread; nothing blocks.
 */
@NullMarked
package io.sluice.broker.transaction;

import org.jspecify.annotations.NullMarked;
