package io.sluice.broker.net;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The budget of heap for what requests of all connections turn into once they are read: lists of topics and partitions take
 * many times as much as their bytes did. What a request takes is known when it has been read, so the budget is passed by one
 * request for each event loop at most. Once it is used up, frames above a size are left unread until calls end, first come,
 * first served and one at a time; small frames, such as heartbeats, always pass.
 *
 * <p>Safe on every thread; the lock is taken only when somebody waits.
 */
final class RequestHeap {
    /** Frames up to this size never wait. */
    static final int SMALL_FRAME_BYTES = 1 << 10;

    /** Calls of up to this are not worth counting. */
    private static final int SMALL_CALL_BYTES = 8 << 10;

    private final long limitBytes;
    private final AtomicLong heldBytes = new AtomicLong();
    private final Queue<Waiter> queue = new ArrayDeque<>();
    private volatile int waiting;
    private volatile @Nullable Object admitted;

    RequestHeap(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Somebody who waits for others' calls to end. */
    private record Waiter(Object owner, Executor executor, Runnable onAdmitted) {}

    /** What one request may take, in bytes: half of all. */
    long maxBytesOfOne() {
        return limitBytes / 2;
    }

    /** What of a call's heap is counted, from its begin to its end. */
    static long counted(long heapBytes) {
        return heapBytes <= SMALL_CALL_BYTES ? 0 : heapBytes;
    }

    /** Whether a connection's frame may be read now; if not, {@link #await}. */
    boolean admits(Object owner, int frameBytes) {
        return frameBytes <= SMALL_FRAME_BYTES || owner == admitted || (waiting == 0 && heldBytes.get() < limitBytes);
    }

    /** Calls the task on the executor when the owner may read one frame; then {@link #endAdmission} is due. */
    void await(Object owner, Executor executor, Runnable onAdmitted) {
        synchronized (queue) {
            queue.add(new Waiter(owner, executor, onAdmitted));
            waiting = queue.size();
        }
        admitNext();
    }

    /** The owner has read its frame, or does not want to any more. */
    void endAdmission(Object owner) {
        if (admitted == owner) {
            admitted = null;
            admitNext();
        }
    }

    /** Stops waiting; the task of an admission that is under way still runs. */
    void cancel(Object owner) {
        synchronized (queue) {
            queue.removeIf(waiter -> waiter.owner == owner);
            waiting = queue.size();
        }
        endAdmission(owner);
    }

    /** Counts what a call that begins takes. */
    void add(long bytes) {
        if (bytes > 0) {
            heldBytes.addAndGet(bytes);
        }
    }

    /** The call has ended. */
    void release(long bytes) {
        if (bytes > 0) {
            heldBytes.addAndGet(-bytes);
            if (waiting > 0) {
                admitNext();
            }
        }
    }

    private void admitNext() {
        Waiter next;
        synchronized (queue) {
            if (admitted != null || heldBytes.get() >= limitBytes) {
                return;
            }
            next = queue.poll();
            waiting = queue.size();
            if (next == null) {
                return;
            }
            admitted = next.owner;
        }
        next.executor.execute(next.onAdmitted);
    }

    /** How many connections wait. */
    int waiting() {
        return waiting;
    }

    long heldBytes() {
        return heldBytes.get();
    }
}
