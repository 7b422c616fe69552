package io.sluice.testkit.compat;

import java.util.List;
import java.util.Optional;

/** A test suite of somebody else, which needs nothing but a broker's address. */
interface ForeignSuite {
    /** Name and version, for the report. */
    String title();

    /** What the machine lacks to run it, and what to do; empty if nothing. */
    Optional<String> missing() throws Exception;

    /** Fetches and builds it, unless that is done. */
    void prepare() throws Exception;

    /** Its tests, in the order in which they run. */
    List<String> tests();

    /** Runs one of them on a broker that runs. */
    SuiteOutcome run(String test, String bootstrap) throws Exception;
}
