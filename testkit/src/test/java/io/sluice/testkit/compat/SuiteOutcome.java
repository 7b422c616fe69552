package io.sluice.testkit.compat;

/**
 * What came of one test.
 *
 * @param detail the line that says why it failed or was skipped; "" where it passed
 */
record SuiteOutcome(Kind kind, String detail) {
    /** How it ended. */
    enum Kind {
        PASSED,
        FAILED,
        /** The suite itself found that the test does not apply. */
        SKIPPED,
        TIMED_OUT
    }

    static SuiteOutcome passed() {
        return new SuiteOutcome(Kind.PASSED, "");
    }

    static SuiteOutcome failed(String why) {
        return new SuiteOutcome(Kind.FAILED, why);
    }

    boolean hasPassed() {
        return kind == Kind.PASSED;
    }

    boolean hasFailed() {
        return kind == Kind.FAILED || kind == Kind.TIMED_OUT;
    }
}
