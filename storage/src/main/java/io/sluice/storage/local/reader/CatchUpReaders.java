package io.sluice.storage.local.reader;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Bounds what readers behind the tail take together: bytes of memory that are read and not yet handed over, and reads that
 * wait. A read takes its share before it runs and gives it back when who asked for it has it: from then on it is theirs to
 * bound, and somebody who keeps it keeps nobody else waiting. Safe on every thread.
 */
public final class CatchUpReaders {
    /** Why a read is not let in. */
    public static final String TOO_MANY = "too many reads wait for the disk";

    /** Why a read that waited will not run. */
    public static final String STOPPED = "the node stops reading";

    private static final int MAX_WAITING = 4096;

    private final Executor executor;
    private final long limitBytes;
    private final ArrayDeque<Job> waiting = new ArrayDeque<>();
    private long takenBytes;

    private record Job(long bytes, Runnable task, Runnable refused) {}

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
     * @param bytes its share; the task gives it back with {@link #giveBack}
     * @param refused is run instead of the task where it turns out that the executor takes no more
     * @return false when too many wait already: neither will run
     */
    public boolean submit(long bytes, Runnable task, Runnable refused) {
        Job job = new Job(bytes, task, refused);
        synchronized (waiting) {
            if (!waiting.isEmpty() || !fits(bytes)) {
                if (waiting.size() >= MAX_WAITING) {
                    return false;
                }
                waiting.add(job);
                return true;
            }
            takenBytes += bytes;
        }
        run(job);
        return true;
    }

    /**
     * Runs a read once its share is free, before all others that wait: for the few whom many others wait for. None of them is
     * turned away.
     *
     * @param bytes its share; the task gives it back with {@link #giveBack}
     * @param refused is run instead of the task where it turns out that the executor takes no more
     */
    public void submitFirst(long bytes, Runnable task, Runnable refused) {
        Job job = new Job(bytes, task, refused);
        synchronized (waiting) {
            if (!fits(bytes)) {
                waiting.addFirst(job);
                return;
            }
            takenBytes += bytes;
        }
        run(job);
    }

    private void run(Job job) {
        try {
            executor.execute(job.task);
        } catch (RejectedExecutionException e) {
            synchronized (waiting) {
                takenBytes -= job.bytes;
            }
            job.refused.run();
        }
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
            Job next;
            synchronized (waiting) {
                next = waiting.peek();
                if (next == null || !fits(next.bytes)) {
                    return;
                }
                waiting.remove();
                takenBytes += next.bytes;
            }
            run(next);
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
