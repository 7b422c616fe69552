package io.sluice.broker.net;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The budget for requests of all connections: frames under assembly and what calls in flight still use. Bytes that
 * have arrived are always counted in; room for bytes to come is granted while there is some, first come, first served.
 *
 * <p>Frames that are all half there could wait for each other for ever. So when nothing that holds memory will give it back
 * by itself, because no call is in flight, the first in the queue is let through above the limit until its frame is whole.
 * There is one such at a time: the budget is passed by one frame at most, and by the few bytes that had arrived already.
 * Calls that may stay for long, such as a JoinGroup, do not keep the first in the queue back until they have taken half;
 * then they do, or one after the other would pass the limit.
 *
 * <p>Safe on every thread; the lock is taken only when somebody waits.
 */
final class RequestMemory {
    private final long limitBytes;
    private final AtomicLong heldBytes = new AtomicLong();
    private final AtomicLong inFlightBytes = new AtomicLong();
    private final AtomicLong parkedBytes = new AtomicLong();
    private final Queue<Waiter> queue = new ArrayDeque<>();
    private volatile int waiting;
    private volatile @Nullable Object privileged;

    RequestMemory(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Somebody who waits for room. */
    private record Waiter(Object owner, long bytes, Executor executor, Runnable onGranted) {}

    /** Counts bytes that are here already. */
    void add(long bytes) {
        heldBytes.addAndGet(bytes);
    }

    /** Counts bytes for what is still to come, if there is room and nobody waits. */
    boolean tryAdd(Object owner, long bytes) {
        if (owner == privileged) {
            heldBytes.addAndGet(bytes);
            return true;
        }
        if (waiting > 0) {
            return false;
        }
        if (heldBytes.addAndGet(bytes) <= limitBytes) {
            return true;
        }
        release(bytes);
        return false;
    }

    /**
     * Waits for room. The bytes are counted for the owner when the task runs.
     *
     * @param bytes what is needed
     */
    void await(Object owner, long bytes, Executor executor, Runnable onGranted) {
        synchronized (queue) {
            queue.add(new Waiter(owner, bytes, executor, onGranted));
            waiting = queue.size();
        }
        grant();
    }

    /** Stops waiting; the task of a grant that is under way still runs. */
    void cancel(Object owner) {
        synchronized (queue) {
            queue.removeIf(waiter -> waiter.owner == owner);
            waiting = queue.size();
        }
        endPrivilege(owner);
    }

    /** Bytes counted before are no longer held. */
    void release(long bytes) {
        heldBytes.addAndGet(-bytes);
        if (waiting > 0) {
            grant();
        }
    }

    /** A call uses so many of the bytes counted until {@link #endCall}; it will end by itself. */
    void beginCall(Object owner, long bytes) {
        inFlightBytes.addAndGet(bytes);
        endPrivilege(owner);
    }

    /** A call has ended. Its bytes are to be released as well. */
    void endCall(long bytes) {
        inFlightBytes.addAndGet(-bytes);
    }

    /** Counts bytes that a call keeps until {@link #endParked}, which may be long: it may wait for other clients. */
    void beginParked(long bytes) {
        parkedBytes.addAndGet(bytes);
        heldBytes.addAndGet(bytes);
    }

    /** The call has ended. */
    void endParked(long bytes) {
        if (bytes > 0) {
            parkedBytes.addAndGet(-bytes);
            release(bytes);
        }
    }

    /** The owner's frame is whole or gone. */
    void endPrivilege(Object owner) {
        if (privileged == owner) {
            privileged = null;
            grant();
        }
    }

    private void grant() {
        while (true) {
            Waiter next;
            synchronized (queue) {
                next = queue.peek();
                if (next == null || !admits(next)) {
                    return;
                }
                queue.remove();
                waiting = queue.size();
                heldBytes.addAndGet(next.bytes);
            }
            next.executor.execute(next.onGranted);
        }
    }

    private boolean admits(Waiter next) {
        if (heldBytes.get() + next.bytes <= limitBytes) {
            return true;
        }
        if (privileged == null && inFlightBytes.get() == 0 && parkedBytes.get() <= limitBytes / 2) {
            privileged = next.owner;
            return true;
        }
        return false;
    }

    /** Whether there is no room for anything but what has arrived already. */
    boolean isExhausted() {
        return waiting > 0 || heldBytes.get() >= limitBytes;
    }

    /** How many connections wait. */
    int waiting() {
        return waiting;
    }

    long heldBytes() {
        return heldBytes.get();
    }

    long limitBytes() {
        return limitBytes;
    }
}
