package io.sluice.base.time;

import java.util.concurrent.Executor;

/**
 * Runs tasks later. Tasks run on the executor handed in with them, never on the timer's own thread, so a slow task delays
 * nobody else. Safe on every thread.
 */
public interface Scheduler {
    /**
     * Runs {@code task} on {@code executor} once {@code delayNanos} have passed on the monotonic clock.
     *
     * @param delayNanos zero or more
     */
    Timer schedule(Runnable task, long delayNanos, Executor executor);

    /**
     * Keeps the calling thread, which must be one that may block, for a while; it may go on earlier. Where time is simulated it goes
     * on at once.
     *
     * @param nanos zero or more
     */
    void rest(long nanos);

    /** A task that has been scheduled. */
    interface Timer {
        /**
         * Keeps the task from running if it has not started yet.
         *
         * @return whether the task will now never run
         */
        boolean cancel();
    }
}
