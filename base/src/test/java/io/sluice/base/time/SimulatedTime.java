package io.sluice.base.time;

import java.util.PriorityQueue;
import java.util.concurrent.Executor;

/**
 * A clock and timer that move only when told to. Both clocks advance together; the wall clock can also be made to jump.
 * Timers of the same moment run in the order in which they were set. For one thread.
 */
public final class SimulatedTime implements Clock, Scheduler {
    private final PriorityQueue<Pending> pending = new PriorityQueue<>();
    private long nowNanos;
    private long epochMillisAtZero;
    private long sequence;

    /** Starts at nano time 0 and at the given wall-clock time. */
    public SimulatedTime(long epochMillis) {
        this.epochMillisAtZero = epochMillis;
    }

    @Override
    public void rest(long nanos) {}

    @Override
    public long nanoTime() {
        return nowNanos;
    }

    @Override
    public long epochMillis() {
        return epochMillisAtZero + nowNanos / 1_000_000;
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos, Executor executor) {
        Pending timer = new Pending(nowNanos + delayNanos, sequence++, task, executor);
        pending.add(timer);
        return () -> pending.remove(timer);
    }

    /** Moves both clocks on, firing what falls due on the way, each at its own moment. */
    public void advanceNanos(long nanos) {
        long target = nowNanos + nanos;
        while (true) {
            Pending next = pending.peek();
            if (next == null || next.dueNanos > target) {
                break;
            }
            pending.remove(next);
            nowNanos = next.dueNanos;
            next.executor.execute(next.task);
        }
        nowNanos = target;
    }

    /** Moves the wall clock alone, as an operator or a time server might. */
    public void jumpWallClockMillis(long millis) {
        epochMillisAtZero += millis;
    }

    /** How many timers are set. */
    public int pendingTimers() {
        return pending.size();
    }

    private record Pending(long dueNanos, long sequence, Runnable task, Executor executor)
            implements Comparable<Pending> {
        @Override
        public int compareTo(Pending other) {
            int byDue = Long.compare(dueNanos, other.dueNanos);
            return byDue != 0 ? byDue : Long.compare(sequence, other.sequence);
        }
    }
}
