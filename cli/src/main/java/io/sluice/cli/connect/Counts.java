package io.sluice.cli.connect;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;

/** Numbers of which there must be one at least. */
public final class Counts {
    private Counts() {}

    /**
     * Refuses less than one: to a node it might mean "the default".
     *
     * @param option what to name in the message
     */
    public static void requirePositive(String option, long value) {
        if (value < 1) {
            throw new UserException(
                    ExitCode.USAGE, "Invalid value '" + value + "' for " + option + ": allowed is 1 or more.");
        }
    }
}
