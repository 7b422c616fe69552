package io.sluice.testkit.client;

import java.util.Optional;

/** A client that is none of ours. */
interface ForeignClient {
    /** Name and version. */
    String name();

    /** Why it cannot be run here and what to do, if it cannot. */
    Optional<String> missing() throws Exception;

    /**
     * Produces with every compression it has, consumes and verifies keys, headers and values, shares partitions in a group.
     *
     * @param bootstrap HOST:PORT
     * @param prefix unique, for names of topics and groups
     * @throws AssertionError with its output, if anything goes wrong
     */
    void exercise(String bootstrap, String prefix) throws Exception;
}
