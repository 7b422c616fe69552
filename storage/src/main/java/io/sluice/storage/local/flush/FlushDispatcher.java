package io.sluice.storage.local.flush;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Tells logs and their waiters of flushes. A log puts itself into the queue after an append, once until it is taken out,
 * so the queue is bounded by the number of logs. Appends run on every thread; a flush, on the flush thread, takes the
 * queue empty and hands each executor one task.
 */
public final class FlushDispatcher {
    private static final int QUEUE_CHUNK = 1024;

    private final MpscUnboundedArrayQueue<FlushedLog> dirty = new MpscUnboundedArrayQueue<>(QUEUE_CHUNK);
    private final CompletionSink sink = new CompletionSink();
    private final List<FlushedLog> moved = new ArrayList<>();
    private final List<FlushedLog> again = new ArrayList<>();
    private @Nullable IOException failure;

    /** A log that hears of flushes. */
    public interface FlushedLog {
        /** Takes itself off the queue: a later append puts it in again. Called before {@link #onFlush}. */
        void clearQueued();

        /** Puts itself in the queue once more if appends still wait. Returns whether the caller has to queue it. */
        boolean requeue();

        /** The journal is durable up to a position. Returns whether the durable offset moved. */
        boolean onFlush(long durablePosition, CompletionSink sink);

        /** The journal failed. */
        void onFlushFailure(IOException cause, CompletionSink sink);

        /** The durable offset has moved: tell visibility listeners. */
        void onMoved();
    }

    /** Queues a log; the log makes sure that it is in only once. */
    public void add(FlushedLog log) {
        dirty.add(log);
    }

    /** Everything before the position is durable. */
    public void onDurable(long durablePosition) {
        synchronized (this) {
            drain(durablePosition);
        }
    }

    private void drain(long durablePosition) {
        for (FlushedLog log = dirty.poll(); log != null; log = dirty.poll()) {
            log.clearQueued();
            if (failure != null) {
                log.onFlushFailure(failure, sink);
                continue;
            }
            if (log.onFlush(durablePosition, sink)) {
                moved.add(log);
            }
            if (log.requeue()) {
                again.add(log);
            }
        }
        dirty.addAll(again);
        again.clear();
        for (int i = 0; i < moved.size(); i++) {
            moved.get(i).onMoved();
        }
        moved.clear();
        sink.dispatch();
    }

    /** A flush failed: these logs and whatever they still append have an unknown outcome. */
    public synchronized void onFailure(IOException cause, Iterable<? extends FlushedLog> logs) {
        failure = cause;
        for (FlushedLog log : logs) {
            log.onFlushFailure(cause, sink);
        }
        sink.dispatch();
    }
}
