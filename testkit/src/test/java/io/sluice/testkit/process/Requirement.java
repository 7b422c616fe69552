package io.sluice.testkit.process;

import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** What a test needs of the machine. */
public final class Requirement {
    private Requirement() {}

    /**
     * Reports the test as skipped, by name, if something is missing; with CI=true that is a failure.
     *
     * @param test what is skipped
     * @param missing what is missing and what to do, if anything is
     */
    public static void require(String test, Optional<String> missing) {
        if (missing.isEmpty()) {
            return;
        }
        if (Settings.continuousIntegration()) {
            throw new AssertionError(test + " must run on this machine: " + missing.get());
        }
        System.out.println("skipped: " + test + ": " + missing.get());
        Assumptions.abort(test + ": " + missing.get());
    }
}
