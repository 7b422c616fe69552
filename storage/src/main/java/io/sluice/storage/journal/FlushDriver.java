package io.sluice.storage.journal;

/** Runs a journal's duty cycle: on a thread of its own, or step by step in a simulation. */
public interface FlushDriver {
    /** Begins to run the cycle. Called once. */
    void start(DutyCycle cycle);

    /** Makes the cycle run soon, even if it is about to wait. Called from every thread; must not block. */
    void wake();

    /**
     * Returns when the cycle has finished.
     *
     * @param timeoutNanos how long to wait
     * @return false when the time was over first
     */
    boolean awaitFinish(long timeoutNanos);

    /** One turn of work. */
    @FunctionalInterface
    interface DutyCycle {
        /** The next turn waits for {@link FlushDriver#wake}. */
        long UNTIL_WOKEN = Long.MAX_VALUE;

        /** There is no next turn. */
        long FINISHED = -1;

        /**
         * Does what there is to do.
         *
         * @return nanoseconds until the next turn unless woken before, or one of the constants
         */
        long run();
    }
}
