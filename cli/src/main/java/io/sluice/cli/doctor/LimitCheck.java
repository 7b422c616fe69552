package io.sluice.cli.doctor;

import java.util.List;
import java.util.OptionalLong;

/** How many descriptors a node may open: one for each connection, up to two for each segment that is in use. */
record LimitCheck(SystemFiles files) {
    private static final String NAME = "descriptors";
    private static final long ENOUGH = 65_536;
    private static final long TOO_FEW = 4_096;

    List<Finding> run() {
        OptionalLong hard = files.number("proc/self/limits", "Max open files", 1);
        if (hard.isEmpty()) {
            return List.of(Finding.warning(
                    NAME, "the limit is not known", "Check 'ulimit -Hn': " + ENOUGH + " or more is good."));
        }
        String found = "up to " + (hard.getAsLong() == Long.MAX_VALUE ? "any number" : hard.getAsLong())
                + " (the hard limit; 'sluice start' raises the soft one to it)";
        String advice = "Raise the hard limit to " + ENOUGH
                + ": LimitNOFILE in the systemd unit, nofile in /etc/security/limits.conf, or docker's --ulimit.";
        if (hard.getAsLong() < TOO_FEW) {
            return List.of(Finding.problem(NAME, found, advice));
        }
        return List.of(hard.getAsLong() < ENOUGH ? Finding.warning(NAME, found, advice) : Finding.ok(NAME, found));
    }
}
