package io.sluice.coordinator.share;

import io.sluice.base.time.Scheduler;
import org.jspecify.annotations.Nullable;

/** Rings when the first of many locks expires. Under its owner's lock; it rings outside of it. */
final class LockTimer {
    private final SharePartition.Time time;
    private final Runnable onExpiry;
    private Scheduler.@Nullable Timer timer;
    private long firstNanos;

    /** Not set. */
    LockTimer(SharePartition.Time time, Runnable onExpiry) {
        this.time = time;
        this.onExpiry = onExpiry;
    }

    /** There is a lock that expires at a time on the monotonic clock. */
    void add(long deadlineNanos) {
        if (timer != null && firstNanos - deadlineNanos <= 0) {
            return;
        }
        clear();
        firstNanos = deadlineNanos;
        timer = time.scheduler()
                .schedule(onExpiry, Math.max(0, deadlineNanos - time.clock().nanoTime()), time.executor());
    }

    /** There is none. Its owner calls this too when it has rung. */
    void clear() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
