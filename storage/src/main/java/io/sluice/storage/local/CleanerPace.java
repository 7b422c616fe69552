package io.sluice.storage.local;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Keeps the cleaner from taking disk and processors from those who wait for their appends: while anybody appends it takes so many
 * bytes a second, in small steps, but always several times as many as are appended, so that it does not fall behind. Where nobody
 * appends it goes as fast as it can. For the cleaner's thread.
 */
final class CleanerPace {
    /** What is read and written at once. */
    static final int STEP_BYTES = 256 << 10;

    static final long BYTES_PER_SECOND = 96L << 20;

    /** It reads everything twice, and may have to write it. */
    private static final int TIMES_AS_FAST = 6;

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LongSupplier appended;
    private final Clock clock;
    private final Scheduler scheduler;
    private int taken;
    private long stepNanos;
    private long windowNanos;
    private long windowPosition;
    private boolean hadCompany;
    private long rate = BYTES_PER_SECOND;

    /**
     * Of one cleaner.
     *
     * @param appended bytes that were ever appended
     */
    CleanerPace(LongSupplier appended, Clock clock, Scheduler scheduler) {
        this.appended = appended;
        this.clock = clock;
        this.scheduler = scheduler;
        begin();
    }

    /** A cleaning begins. */
    void begin() {
        taken = 0;
        stepNanos = clock.nanoTime();
        windowNanos = stepNanos;
        windowPosition = appended.getAsLong();
        hadCompany = true;
    }

    /** So many bytes were read or written: rests when a step is complete. */
    void onBytes(int bytes) {
        taken += bytes;
        if (taken < STEP_BYTES) {
            return;
        }
        long now = clock.nanoTime();
        long end = appended.getAsLong();
        noteRate(now, end);
        long rest = taken * WINDOW_NANOS / rate - (now - stepNanos);
        if ((hadCompany || end != windowPosition) && rest > 0) {
            scheduler.rest(Math.min(rest, LONGEST_REST_NANOS));
        }
        taken = 0;
        stepNanos = clock.nanoTime();
    }

    private void noteRate(long now, long end) {
        long nanos = now - windowNanos;
        if (nanos >= WINDOW_NANOS) {
            double perSecond = (double) (end - windowPosition) * WINDOW_NANOS / nanos;
            rate = Math.max(BYTES_PER_SECOND, (long) (TIMES_AS_FAST * perSecond));
            hadCompany = end != windowPosition;
            windowNanos = now;
            windowPosition = end;
        }
    }
}
