package io.sluice.base.time;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The real timer: one thread, one heap, on the monotonic clock. Tasks start at the moment asked for or up to a millisecond
 * later (timers of one millisecond share one wake-up), each on its own executor. While nothing is set the thread sleeps.
 *
 * <p>Cancelling takes constant time and lets go of the task at once; the emptied entry leaves the heap when it falls due, or
 * when more than half of the heap is of its kind. Safe on every thread.
 */
public final class SystemScheduler implements Scheduler, AutoCloseable {
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int SMALLEST_PURGE = 1024;

    private final Clock clock;
    private final long originNanos;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition earlier = lock.newCondition();
    private PriorityQueue<Entry> heap = new PriorityQueue<>();
    private long sequence;
    private int cancelled;
    private boolean closed;

    /**
     * Starts the timer thread.
     *
     * @param clock whose monotonic time counts; must be the operating system's, since the thread really sleeps
     * @param threads makes the one thread
     */
    public SystemScheduler(Clock clock, ThreadFactory threads) {
        this.clock = clock;
        this.originNanos = clock.nanoTime();
        this.thread = threads.newThread(this::run);
        thread.start();
    }

    @Override
    public void rest(long nanos) {
        LockSupport.parkNanos(nanos);
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos, Executor executor) {
        if (delayNanos < 0) {
            throw new IllegalArgumentException("delayNanos is " + delayNanos + "; it must be zero or more");
        }
        long dueTick = dueTick(delayNanos);
        lock.lock();
        try {
            Entry entry = new Entry(this, dueTick, sequence++, task, executor);
            if (closed) {
                entry.task = null;
                return entry;
            }
            heap.add(entry);
            if (heap.peek() == entry) {
                earlier.signal();
            }
            return entry;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread; what is still set never runs. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            heap.forEach(entry -> entry.task = null);
            heap.clear();
            earlier.signal();
        } finally {
            lock.unlock();
        }
        joinThread();
    }

    /** How many entries the heap holds, cancelled ones included. */
    int heapSize() {
        lock.lock();
        try {
            return heap.size();
        } finally {
            lock.unlock();
        }
    }

    private void joinThread() {
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long dueTick(long delayNanos) {
        long sinceOrigin = clock.nanoTime() - originNanos;
        long dueNanos = sinceOrigin + delayNanos;
        if (dueNanos < 0) {
            return Long.MAX_VALUE / TICK_NANOS;
        }
        return dueNanos / TICK_NANOS + (dueNanos % TICK_NANOS == 0 ? 0 : 1);
    }

    private void run() {
        Queue<Due> due = new ArrayDeque<>();
        while (awaitDue(due)) {
            while (true) {
                Due next = due.poll();
                if (next == null) {
                    break;
                }
                handOver(next);
            }
        }
    }

    /** Fills {@code due} and returns true, or returns false when the timer has been closed. */
    private boolean awaitDue(Queue<Due> due) {
        lock.lock();
        try {
            while (!closed) {
                long waitNanos = takeDue(due);
                if (!due.isEmpty()) {
                    return true;
                }
                if (waitNanos == Long.MAX_VALUE) {
                    earlier.awaitUninterruptibly();
                } else {
                    awaitNanos(waitNanos);
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Nobody interrupts this thread to stop it; a stray interrupt only makes it look again. */
    @SuppressWarnings({"WaitNotInLoop", "UnusedVariable"}) // the caller loops and computes the rest itself
    private void awaitNanos(long waitNanos) {
        try {
            long unusedRest = earlier.awaitNanos(waitNanos);
        } catch (InterruptedException e) {
            return;
        }
    }

    /** Moves what is due; returns the time until the next one, or {@link Long#MAX_VALUE} when nothing is set. */
    private long takeDue(Queue<Due> due) {
        long nowNanos = clock.nanoTime() - originNanos;
        while (true) {
            Entry head = heap.peek();
            if (head == null) {
                return Long.MAX_VALUE;
            }
            Runnable task = head.task;
            long waitNanos = head.dueTick * TICK_NANOS - nowNanos;
            if (task != null && waitNanos > 0) {
                return waitNanos;
            }
            heap.remove();
            if (task == null) {
                cancelled--;
            } else {
                head.task = null;
                due.add(new Due(task, head.executor));
            }
        }
    }

    /**
     * An executor that has been shut down takes its tasks with it: what they would have served is gone. Whatever else an
     * executor throws (a direct one runs the task right here) must not end the timer for everybody.
     */
    @SuppressWarnings("checkstyle:IllegalCatch") // whatever a task throws belongs to that task alone
    private void handOver(Due due) {
        try {
            due.executor.execute(due.task);
        } catch (RejectedExecutionException e) {
            return;
        } catch (RuntimeException | Error e) {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }

    private boolean cancel(Entry entry) {
        lock.lock();
        try {
            if (entry.task == null) {
                return false;
            }
            entry.task = null;
            cancelled++;
            if (cancelled > SMALLEST_PURGE && cancelled > heap.size() / 2) {
                purge();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void purge() {
        PriorityQueue<Entry> kept = new PriorityQueue<>(Math.max(16, heap.size() - cancelled));
        for (Entry entry : heap) {
            if (entry.task != null) {
                kept.add(entry);
            }
        }
        heap = kept;
        cancelled = 0;
    }

    private record Due(Runnable task, Executor executor) {}

    /** One timer; its task is null once it has run, was cancelled, or the scheduler closed. Guarded by the lock. */
    private static final class Entry implements Timer, Comparable<Entry> {
        private final SystemScheduler owner;
        private final long dueTick;
        private final long sequence;
        private final Executor executor;
        private @Nullable Runnable task;

        Entry(SystemScheduler owner, long dueTick, long sequence, Runnable task, Executor executor) {
            this.owner = owner;
            this.dueTick = dueTick;
            this.sequence = sequence;
            this.task = task;
            this.executor = executor;
        }

        @Override
        public boolean cancel() {
            return owner.cancel(this);
        }

        @Override
        public int compareTo(Entry other) {
            int byDue = Long.compare(dueTick, other.dueTick);
            return byDue != 0 ? byDue : Long.compare(sequence, other.sequence);
        }
    }
}
