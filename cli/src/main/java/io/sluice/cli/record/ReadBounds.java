package io.sluice.cli.record;

import java.time.Duration;

/**
 * How far to read and how long to wait.
 *
 * @param timeout for one answer, and for anything to come
 * @param follow goes on with new records for ever
 * @param limit records at most
 */
record ReadBounds(Duration timeout, boolean follow, long limit) {}
