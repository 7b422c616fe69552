package io.sluice.testkit.client;

import io.sluice.base.time.SystemClock;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Lets one thread wait for what others do, with a limit. Safe on every thread. */
final class Progress {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Tells whoever waits that something has changed. */
    synchronized void changed() {
        notifyAll();
    }

    /**
     * Waits until the condition holds; it is looked at again after every change.
     *
     * @throws IllegalStateException when the time is up
     */
    synchronized void await(String what, BooleanSupplier condition) throws InterruptedException {
        long startNanos = SystemClock.INSTANCE.nanoTime();
        while (!condition.getAsBoolean()) {
            long leftNanos = LIMIT_NANOS - (SystemClock.INSTANCE.nanoTime() - startNanos);
            if (leftNanos <= 0) {
                throw new IllegalStateException("Waited in vain for " + what);
            }
            wait(TimeUnit.NANOSECONDS.toMillis(leftNanos) + 1);
        }
    }
}
