package io.sluice.coordinator.share;

/**
 * A record batch as it was read.
 *
 * @param deliverable false for markers of transactions, and for batches of aborted ones where those are not to be seen
 */
public record FetchedBatch(long firstOffset, long lastOffset, boolean deliverable) {}
