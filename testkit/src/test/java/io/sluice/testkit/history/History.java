package io.sluice.testkit.history;

import java.util.List;

/**
 * All that is known of a run.
 *
 * @param written by all producers
 * @param readers what each reader that began at the start of every partition and never jumped got, in its order
 * @param end everything that could be read in the end, in the order of each partition, by one who read committed records only
 */
record History(List<Written> written, List<List<Seen>> readers, List<Seen> end) {}
