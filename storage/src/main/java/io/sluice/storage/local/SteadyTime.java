package io.sluice.storage.local;

import io.sluice.base.time.Clock;

/**
 * Wall-clock time for ages, which a jump of the wall clock cannot make older at once: it follows the monotonic clock from
 * where the wall clock stood at start. A wall clock that is ahead is approached slowly, by an eighth of the time that
 * passes (so a machine that was asleep catches up within hours); one that is behind is believed at once, which only makes
 * ages smaller. Safe on every thread.
 */
final class SteadyTime {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long CATCH_UP_DIVISOR = 8;

    private final Clock clock;
    private final long startNanos;
    private long baseMillis;
    private long baseNanos;

    SteadyTime(Clock clock) {
        this.clock = clock;
        this.startNanos = clock.nanoTime();
        this.baseNanos = startNanos;
        this.baseMillis = clock.epochMillis();
    }

    /** Milliseconds since 1970, never ahead of what has truly passed by more than the slow approach. */
    synchronized long millis() {
        long nanos = clock.nanoTime();
        long elapsed = (nanos - baseNanos) / NANOS_PER_MILLI;
        long wall = clock.epochMillis();
        long steady = baseMillis + elapsed;
        if (wall > steady && elapsed > 0) {
            steady += Math.min(wall - steady, elapsed / CATCH_UP_DIVISOR);
        }
        if (elapsed >= CATCH_UP_DIVISOR) {
            baseMillis = steady;
            baseNanos += elapsed * NANOS_PER_MILLI;
        }
        return Math.min(steady, wall);
    }
}
