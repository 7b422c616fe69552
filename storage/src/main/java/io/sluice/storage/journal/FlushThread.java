package io.sluice.storage.journal;

import io.sluice.base.time.Clock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Runs a duty cycle on one thread, which sleeps whenever the cycle has nothing to do. */
public final class FlushThread implements FlushDriver {
    private final ThreadFactory threads;
    private final Clock clock;
    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile @Nullable Thread thread;
    private volatile boolean woken;

    /**
     * A thread that is not started yet.
     *
     * @param threads makes it; nobody may interrupt it
     */
    public FlushThread(ThreadFactory threads, Clock clock) {
        this.threads = threads;
        this.clock = clock;
    }

    @Override
    public void start(DutyCycle cycle) {
        Thread made = threads.newThread(() -> run(cycle));
        if (made == null) {
            throw new IllegalStateException("the thread factory refused to make the flush thread");
        }
        thread = made;
        made.start();
    }

    @Override
    public void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    @Override
    public boolean awaitFinish(long timeoutNanos) {
        boolean interrupted = false;
        long deadline = clock.nanoTime() + timeoutNanos;
        try {
            while (true) {
                try {
                    return finished.await(deadline - clock.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run(DutyCycle cycle) {
        try {
            while (true) {
                long waitNanos = cycle.run();
                if (waitNanos == DutyCycle.FINISHED) {
                    return;
                }
                await(waitNanos);
            }
        } finally {
            finished.countDown();
        }
    }

    private void await(long waitNanos) {
        if (waitNanos == DutyCycle.UNTIL_WOKEN) {
            while (!woken) {
                LockSupport.park(this);
            }
        } else if (waitNanos > 0) {
            long deadline = clock.nanoTime() + waitNanos;
            long left = waitNanos;
            while (!woken && left > 0) {
                LockSupport.parkNanos(this, left);
                left = deadline - clock.nanoTime();
            }
        }
        woken = false;
    }
}
