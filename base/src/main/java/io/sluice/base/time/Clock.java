package io.sluice.base.time;

/** Reads time. Timers and time-outs use {@link #nanoTime()}, which no wall-clock jump can move. Safe on every thread. */
public interface Clock {
    /** Monotonic nanoseconds with an arbitrary origin; only differences mean anything. */
    long nanoTime();

    /** Wall-clock milliseconds since 1970-01-01T00:00Z. May jump: never use it to wait. */
    long epochMillis();
}
