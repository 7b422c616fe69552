package io.sluice.coordinator.transaction;

/** Who a request says it is from. */
record ProducerClaim(long producerId, short epoch) {}
