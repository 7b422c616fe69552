package io.sluice.broker.telemetry;

import java.util.concurrent.TimeUnit;

/** How long a client may be silent before it counts as gone: three of its intervals, and not less than a minute. */
final class Silence {
    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int INTERVALS = 3;

    private Silence() {}

    static long nanos(int intervalMs) {
        return Math.max(LEAST_NANOS, INTERVALS * TimeUnit.MILLISECONDS.toNanos(intervalMs));
    }
}
