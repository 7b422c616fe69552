package io.sluice.coordinator.runtime;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.apache.kafka.server.util.timer.TimerTaskEntry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The library's timer on our scheduler: one scheduled wake-up for the earliest task, no thread.
 *
 * <p>The library arms a time-out for every write and cancels it when the write is durable, and a cancelled task does not
 * tell its timer. So cancelled ones are swept out whenever the queue has doubled since the last sweep: what is kept is at
 * most twice what is live, plus {@link #SWEEP_MIN}.
 *
 * <p>Safe on every thread. Tasks run on the executor, must not block and never run under the lock.
 */
public final class SchedulerTimer implements Timer {
    static final int SWEEP_MIN = 1024;

    private static final Logger LOG = LoggerFactory.getLogger(SchedulerTimer.class);

    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor executor;
    private final PriorityQueue<Pending> queue = new PriorityQueue<>();
    private Scheduler.@Nullable Timer wakeUp;
    private long wakeUpNanos;
    private long sequence;
    private int sweepAt = SWEEP_MIN;
    private boolean closed;

    /** Nothing is scheduled yet. */
    public SchedulerTimer(Clock clock, Scheduler scheduler, Executor executor) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.executor = executor;
    }

    @Override
    public void add(TimerTask task) {
        long delayNanos = TimeUnit.MILLISECONDS.toNanos(Math.max(0, task.delayMs));
        synchronized (queue) {
            if (closed) {
                return;
            }
            queue.add(new Pending(clock.nanoTime() + delayNanos, sequence++, new TimerTaskEntry(task, task.delayMs)));
            if (queue.size() > sweepAt) {
                queue.removeIf(pending -> pending.entry.cancelled());
                sweepAt = Math.max(SWEEP_MIN, 2 * queue.size());
            }
            arm();
        }
    }

    /** The scheduler advances time; nobody has to. */
    @Override
    public boolean advanceClock(long timeoutMs) {
        return false;
    }

    @Override
    public int size() {
        synchronized (queue) {
            return queue.size();
        }
    }

    @Override
    public void close() {
        synchronized (queue) {
            closed = true;
            queue.clear();
            if (wakeUp != null) {
                wakeUp.cancel();
                wakeUp = null;
            }
        }
    }

    private void arm() {
        Pending first = queue.peek();
        if (first == null || (wakeUp != null && wakeUpNanos - first.dueNanos <= 0)) {
            return;
        }
        if (wakeUp != null) {
            wakeUp.cancel();
        }
        wakeUpNanos = first.dueNanos;
        wakeUp = scheduler.schedule(this::fire, Math.max(0, first.dueNanos - clock.nanoTime()), executor);
    }

    private void fire() {
        takeDue().forEach(SchedulerTimer::run);
    }

    private List<Pending> takeDue() {
        List<Pending> due = new ArrayList<>();
        synchronized (queue) {
            wakeUp = null;
            long nowNanos = clock.nanoTime();
            Pending first = queue.peek();
            while (first != null && first.dueNanos - nowNanos <= 0) {
                due.add(first);
                queue.remove();
                first = queue.peek();
            }
            arm();
        }
        return due;
    }

    /** One that throws must not take those with it that were due at the same time: nobody would run them again. */
    @SuppressWarnings("checkstyle:IllegalCatch") // whatever a task throws belongs to that task alone
    private static void run(Pending pending) {
        if (pending.entry.cancelled()) {
            return;
        }
        try {
            pending.entry.timerTask.run();
        } catch (RejectedExecutionException e) {
            LOG.debug("A time-out came after the coordinator had stopped", e);
        } catch (RuntimeException | Error e) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }

    private record Pending(long dueNanos, long sequence, TimerTaskEntry entry) implements Comparable<Pending> {
        @Override
        public int compareTo(Pending other) {
            int byDue = Long.signum(dueNanos - other.dueNanos);
            return byDue != 0 ? byDue : Long.compare(sequence, other.sequence);
        }
    }
}
