package io.sluice.coordinator.runtime;

import io.sluice.base.time.Clock;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.utils.Time;

/**
 * Kafka's time, read from the monotonic clock. The library measures sessions, rebalances and the age of offsets with
 * {@code milliseconds()}; here that is the wall clock as it stood when this was made, plus what has passed since, so that
 * a wall-clock jump neither expires a group nor keeps it alive.
 */
public final class MonotonicTime implements Time {
    private final Clock clock;
    private final long originNanos;
    private final long originEpochMillis;

    /** Begins at the wall clock of now. */
    public MonotonicTime(Clock clock) {
        this.clock = clock;
        this.originNanos = clock.nanoTime();
        this.originEpochMillis = clock.epochMillis();
    }

    @Override
    public long milliseconds() {
        return originEpochMillis + TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - originNanos);
    }

    @Override
    public long nanoseconds() {
        return clock.nanoTime();
    }

    /** Nobody may wait on a coordinator's thread. */
    @Override
    public void sleep(long millis) {
        throw new UnsupportedOperationException("waiting is the scheduler's task");
    }
}
