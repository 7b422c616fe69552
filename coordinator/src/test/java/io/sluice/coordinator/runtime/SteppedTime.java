package io.sluice.coordinator.runtime;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;

/** Both clocks and a timer that move only when told to; unlike SimulatedTime it may be read from the library's threads. */
public final class SteppedTime implements Clock, Scheduler {
    private final PriorityQueue<Pending> pending = new PriorityQueue<>(Comparator.comparingLong(Pending::dueNanos));
    private long nowNanos = 1_000_000_000L;
    private long epochMillisAtZero = 1_700_000_000_000L;

    private record Pending(long dueNanos, Runnable task, Executor executor) {}

    @Override
    public void rest(long nanos) {}

    @Override
    public synchronized long nanoTime() {
        return nowNanos;
    }

    @Override
    public synchronized long epochMillis() {
        return epochMillisAtZero + nowNanos / 1_000_000;
    }

    @Override
    public synchronized Timer schedule(Runnable task, long delayNanos, Executor executor) {
        if (delayNanos <= 0) {
            executor.execute(task);
            return () -> false;
        }
        Pending timer = new Pending(nowNanos + delayNanos, task, executor);
        pending.add(timer);
        return () -> {
            synchronized (this) {
                return pending.remove(timer);
            }
        };
    }

    public void advanceMillis(long millis) {
        List<Pending> due = new ArrayList<>();
        synchronized (this) {
            nowNanos += millis * 1_000_000;
            while (!pending.isEmpty() && pending.peek().dueNanos() <= nowNanos) {
                due.add(pending.remove());
            }
        }
        due.forEach(timer -> timer.executor().execute(timer.task()));
    }

    public synchronized void jumpWallClockMillis(long millis) {
        epochMillisAtZero += millis;
    }
}
