package io.sluice.testkit.history;

/**
 * One record as a reader got it.
 *
 * @param value as {@link Written#value}
 */
record Seen(int partition, long offset, long value) {}
