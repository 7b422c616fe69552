package io.sluice.storage.local.flush;

import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.PartitionLog;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * How far one log is durable and who waits for more. Two rings of primitives, made when first needed: appends whose
 * journal position is not durable yet, and waiters in the order of their offsets. Safe on every thread.
 */
public final class DurableProgress {
    private static final int FIRST_CAPACITY = 4;
    private static final int KEPT_CAPACITY = 64;
    private static final long NOTHING_BEFORE = 0;

    private final PartitionLog log;
    private volatile long durableOffset;
    private @Nullable IOException failure;
    private boolean held;

    private long[] appends = new long[0];
    private int appendHead;
    private int appendCount;

    private long[] waitOffsets = new long[0];
    private @Nullable DurabilityListener[] waiters = new DurabilityListener[0];
    private int waitHead;
    private int waitCount;

    /**
     * Progress of a log of which everything below an offset is durable.
     *
     * @param log handed to listeners
     */
    public DurableProgress(PartitionLog log, long durableOffset) {
        this.log = log;
        this.durableOffset = durableOffset;
    }

    /** Everything below is on stable storage. */
    public long durableOffset() {
        return durableOffset;
    }

    /** Nothing more becomes durable, whatever is flushed, until {@link #release}. */
    public synchronized void hold() {
        held = true;
    }

    /** Undoes {@link #hold}: call {@link #advance} next. */
    public synchronized void release() {
        held = false;
    }

    /**
     * An append that waits for nothing itself ends at {@code endOffset}: it is durable when all before it are.
     *
     * @return whether the durable offset moved
     */
    public synchronized boolean onUnjournaledAppend(long endOffset, CompletionSink sink) {
        if (appendCount == 0 && !held) {
            return failure == null && moveTo(endOffset, sink);
        }
        onAppend(appendCount == 0 ? NOTHING_BEFORE : lastPosition(), endOffset);
        return false;
    }

    private long lastPosition() {
        int last = (appendHead + appendCount - 1) % (appends.length / 2);
        return appends[last * 2];
    }

    /** An append ends at {@code endOffset} and is durable when the journal is up to {@code journalPosition}. */
    public synchronized void onAppend(long journalPosition, long endOffset) {
        if (appendCount * 2 == appends.length) {
            growAppends();
        }
        int at = (appendHead + appendCount) * 2 % appends.length;
        appends[at] = journalPosition;
        appends[at + 1] = endOffset;
        appendCount++;
    }

    private void growAppends() {
        long[] larger = new long[Math.max(FIRST_CAPACITY, appends.length) * 2];
        for (int i = 0; i < appendCount * 2; i++) {
            larger[i] = appends[(appendHead * 2 + i) % appends.length];
        }
        appends = larger;
        appendHead = 0;
    }

    /**
     * The journal is durable up to a position: moves the durable offset and passes on the listeners that this completes.
     *
     * @return whether the durable offset moved
     */
    public synchronized boolean advance(long journalPosition, CompletionSink sink) {
        if (failure != null || held) {
            return false;
        }
        long reached = durableOffset;
        while (appendCount > 0 && appends[appendHead * 2] <= journalPosition) {
            reached = Math.max(reached, appends[appendHead * 2 + 1]); // one that bypassed the journal may be noted late
            appendHead = (appendHead + 1) % (appends.length / 2);
            appendCount--;
        }
        shrinkWhenIdle();
        return moveTo(reached, sink);
    }

    /** Everything below an offset is durable by other means than the journal. */
    public synchronized boolean advanceTo(long offset, CompletionSink sink) {
        return failure == null && moveTo(offset, sink);
    }

    private boolean moveTo(long reached, CompletionSink sink) {
        if (reached <= durableOffset) {
            return false;
        }
        durableOffset = reached;
        while (waitCount > 0 && waitOffsets[waitHead] <= reached) {
            sink.durable(takeFirstWaiter(), log, reached);
        }
        return true;
    }

    /** Whether appends wait for the journal. */
    public synchronized boolean isPending() {
        return appendCount > 0;
    }

    private void shrinkWhenIdle() {
        if (appendCount == 0 && appends.length > 2 * KEPT_CAPACITY) {
            appends = new long[0];
            appendHead = 0;
        }
    }

    /** Registers a listener, or passes it on at once where its offset is durable or the log has failed. */
    public synchronized void await(long offset, DurabilityListener listener, CompletionSink sink) {
        if (offset <= durableOffset) {
            sink.durable(listener, log, durableOffset);
        } else if (failure != null) {
            sink.unknown(listener, log, durableOffset, failure);
        } else {
            insertWaiter(offset, listener);
        }
    }

    private void insertWaiter(long offset, DurabilityListener listener) {
        if (waitCount == waiters.length) {
            growWaiters();
        }
        int at = waitCount;
        while (at > 0 && waitOffsets[waiterIndex(at - 1)] > offset) {
            waitOffsets[waiterIndex(at)] = waitOffsets[waiterIndex(at - 1)];
            waiters[waiterIndex(at)] = waiters[waiterIndex(at - 1)];
            at--;
        }
        waitOffsets[waiterIndex(at)] = offset;
        waiters[waiterIndex(at)] = listener;
        waitCount++;
    }

    private int waiterIndex(int fromHead) {
        return (waitHead + fromHead) % waiters.length;
    }

    private void growWaiters() {
        int capacity = Math.max(FIRST_CAPACITY, waiters.length * 2);
        long[] offsets = new long[capacity];
        @Nullable DurabilityListener[] listeners = new DurabilityListener[capacity];
        for (int i = 0; i < waitCount; i++) {
            offsets[i] = waitOffsets[waiterIndex(i)];
            listeners[i] = waiters[waiterIndex(i)];
        }
        waitOffsets = offsets;
        waiters = listeners;
        waitHead = 0;
    }

    private DurabilityListener takeFirstWaiter() {
        DurabilityListener first = waiters[waitHead];
        waiters[waitHead] = null;
        waitHead = (waitHead + 1) % waiters.length;
        waitCount--;
        if (waitCount == 0 && waiters.length > KEPT_CAPACITY) {
            waiters = new DurabilityListener[0];
            waitOffsets = new long[0];
            waitHead = 0;
        }
        return java.util.Objects.requireNonNull(first);
    }

    /** The outcome of what is not durable yet is unknown, now and for ever: everybody who waits hears so. */
    public synchronized void fail(IOException cause, CompletionSink sink) {
        if (failure != null) {
            return;
        }
        failure = cause;
        while (waitCount > 0) {
            sink.unknown(takeFirstWaiter(), log, durableOffset, cause);
        }
    }
}
