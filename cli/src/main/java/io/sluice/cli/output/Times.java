package io.sluice.cli.output;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;

/** Times as people read and write them: ISO-8601 with zone. */
public final class Times {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX");

    private Times() {}

    /** Such as {@code 2026-01-31T13:00:00.000+01:00}. */
    public static String format(long epochMillis, ZoneId zone) {
        return FORMAT.format(Instant.ofEpochMilli(epochMillis).atZone(zone));
    }

    /**
     * Reads what {@link #format} writes, fractions optional.
     *
     * @return milliseconds since 1970
     */
    public static long parse(String option, String text) {
        try {
            return OffsetDateTime.parse(text).toInstant().toEpochMilli();
        } catch (DateTimeParseException e) {
            throw new UserException(
                    ExitCode.USAGE,
                    "Invalid value '" + text + "' for " + option
                            + ": allowed is a time with its zone, such as 2026-01-31T13:00:00+01:00 or 2026-01-31T12:00:00Z.",
                    e);
        }
    }
}
