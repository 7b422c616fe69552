package io.sluice.benchmarks.load;

import java.util.concurrent.locks.LockSupport;

/** Calls at a fixed rate, telling each call when it was due. A late loop catches up; nothing is skipped. */
final class Pace {
    private static final long LONGEST_PARK_NANOS = 1_000_000;
    private static final long SHORTEST_PARK_NANOS = 20_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private Pace() {}

    /** One call of the loop. */
    interface Step {
        /** Sends record number {@code index}, which was due at {@code dueNanos}. */
        void run(long index, long dueNanos);
    }

    static void run(double perSecond, double seconds, Step step) {
        long count = (long) (perSecond * seconds);
        double interval = NANOS_PER_SECOND / perSecond;
        long start = System.nanoTime();
        long index = 0;
        while (index < count) {
            long due = start + (long) (index * interval);
            long early = due - System.nanoTime();
            if (early > 0) {
                LockSupport.parkNanos(Math.max(SHORTEST_PARK_NANOS, Math.min(early, LONGEST_PARK_NANOS)));
            } else {
                step.run(index++, due);
            }
        }
    }
}
