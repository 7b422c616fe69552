package io.sluice.storage.local.reader;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * Bounds what readers behind the tail take together: bytes of memory that are read and not yet sent, and reads that wait.
 * A read takes its share before it runs and gives it back when its bytes have gone. Safe on every thread.
 */
public final class CatchUpReaders {
    private static final int MAX_WAITING = 4096;

    private final Executor executor;
    private final long limitBytes;
    private final ArrayDeque<Job> waiting = new ArrayDeque<>();
    private long takenBytes;

    private record Job(long bytes, Runnable task) {}

    /**
     * A limit.
     *
     * @param executor runs the reads
     * @param limitBytes memory that they may hold; a single read larger than that is let in when it is alone
     */
    public CatchUpReaders(Executor executor, long limitBytes) {
        this.executor = executor;
        this.limitBytes = limitBytes;
    }

    /**
     * Runs a read once its share is free.
     *
     * @param bytes its share; give it back with {@link #giveBack}
     * @return false when too many wait already: the task will not run
     */
    public boolean submit(long bytes, Runnable task) {
        synchronized (waiting) {
            if (!waiting.isEmpty() || !fits(bytes)) {
                if (waiting.size() >= MAX_WAITING) {
                    return false;
                }
                waiting.add(new Job(bytes, task));
                return true;
            }
            takenBytes += bytes;
        }
        executor.execute(task);
        return true;
    }

    private boolean fits(long bytes) {
        return takenBytes == 0 || takenBytes + bytes <= limitBytes;
    }

    /** Takes what a read that has run holds beyond its share; may pass the limit, and then others wait for it. */
    public void charge(long bytes) {
        synchronized (waiting) {
            takenBytes += bytes;
        }
    }

    /** Gives back a share, or the part of it that is not needed. */
    public void giveBack(long bytes) {
        synchronized (waiting) {
            takenBytes -= bytes;
        }
        while (true) {
            Runnable task;
            synchronized (waiting) {
                Job next = waiting.peek();
                if (next == null || !fits(next.bytes)) {
                    return;
                }
                waiting.remove();
                takenBytes += next.bytes;
                task = next.task;
            }
            executor.execute(task);
        }
    }

    /** Bytes taken now. */
    public long takenBytes() {
        synchronized (waiting) {
            return takenBytes;
        }
    }

    /** Reads that wait for their share. */
    public int waiting() {
        synchronized (waiting) {
            return waiting.size();
        }
    }
}
