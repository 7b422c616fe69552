package io.sluice.cli.doctor;

import io.sluice.base.time.Clock;
import io.sluice.cli.output.Times;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;

/** The wall clock: record timestamps and retention by time follow it. */
record ClockCheck(SystemFiles files, Clock clock, ZoneId zone) {
    /** 2025-01-01: no machine that runs this is older. */
    private static final long EARLIEST_MILLIS = 1_735_689_600_000L;

    private static final List<String> SIGNS_OF_SYNCHRONISATION = List.of(
            "run/systemd/timesync/synchronized",
            "run/chrony/chronyd.pid",
            "run/ntpd.pid",
            "var/run/ntpd.pid",
            "run/chronyd.pid",
            "run/openntpd.sock");
    private static final String ADVICE =
            "Run a time service (systemd-timesyncd or chrony): timestamps and retention by time follow this clock.";

    List<Finding> run() {
        String now = Times.format(clock.epochMillis(), zone);
        if (clock.epochMillis() < EARLIEST_MILLIS) {
            return List.of(Finding.problem("clock", now + " is in the past", ADVICE));
        }
        String source = files.line("sys/devices/system/clocksource/clocksource0/current_clocksource")
                .orElse("not known");
        boolean synchronised = SIGNS_OF_SYNCHRONISATION.stream()
                .map(sign -> files.root().resolve(sign))
                .anyMatch((Path sign) -> Files.exists(sign));
        String found = now + ", source " + source;
        return List.of(
                synchronised
                        ? Finding.ok("clock", found + ", kept by a time service")
                        : Finding.warning("clock", found + ", no sign of a time service on this machine", ADVICE));
    }
}
