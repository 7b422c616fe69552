package io.sluice.coordinator.share;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Rings when the first of many locks expires. Under its owner's lock; it rings outside of it. */
final class LockTimer {
    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor executor;
    private final Runnable onExpiry;
    private Scheduler.@Nullable Timer timer;
    private long firstNanos;

    /** Not set. */
    LockTimer(SharePartition.Time time, Runnable onExpiry) {
        this.clock = time.clock();
        this.scheduler = time.scheduler();
        this.executor = time.executor();
        this.onExpiry = onExpiry;
    }

    /** There is a lock that expires at a time on the monotonic clock. */
    void add(long deadlineNanos) {
        if (timer != null && firstNanos - deadlineNanos <= 0) {
            return;
        }
        clear();
        firstNanos = deadlineNanos;
        timer = scheduler.schedule(onExpiry, Math.max(0, deadlineNanos - clock.nanoTime()), executor);
    }

    /** There is none. Its owner calls this too when it has rung. */
    void clear() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
