package io.sluice.testkit.compat;

import io.sluice.testkit.broker.BrokerUnderTest;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A test suite of somebody else. It runs on the reference first and on the candidate then; one object sees both. Belongs to one
 * thread.
 */
interface ForeignSuite extends AutoCloseable {
    /** Name and version, for the report. */
    String title();

    /** What the machine lacks to run it, and what to do; empty if nothing. */
    Optional<String> missing() throws Exception;

    /** Fetches and builds it, unless that is done. */
    void prepare() throws Exception;

    /** Settings of the broker. */
    default Map<String, String> brokerConfigs() {
        return Map.of("group.initial.rebalance.delay.ms", "0", "num.partitions", "4");
    }

    /** Its tests, in the order in which they run. */
    List<String> tests();

    /** How often a test is tried that fails, on either broker: suites have tests that depend on time. */
    default int tries() {
        return 2;
    }

    /** Runs one of them on a broker that runs, and runs again at the end. */
    SuiteOutcome run(String test, BrokerUnderTest broker) throws Exception;

    /** What is wrong beside the tests, once all of them have run on both. */
    default List<String> complaints() {
        return List.of();
    }

    /** Ends what it has started. */
    @Override
    default void close() {}
}
