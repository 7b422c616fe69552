package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.sluice.base.error.FileFailures;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.aborted.AbortedView;
import io.sluice.storage.local.aborted.UnreadableChunkException;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.reader.CatchUpReaders;
import io.sluice.storage.local.reader.DamagedBatchException;
import io.sluice.storage.local.reader.LogRead;
import io.sluice.storage.local.reader.MissingRecordsException;
import io.sluice.storage.local.reader.PieceSlice;
import io.sluice.storage.local.reader.PositionHints;
import io.sluice.storage.local.reader.ReadPlan;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.ReadHandle;
import io.sluice.storage.log.ReadListener;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadRequest.Limit;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.ReadResult.AbortedTransaction;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads of one log. What lies close behind the end was written a moment ago and is read on the caller's thread; the rest
 * goes to the reader pool. Safe on every thread.
 */
final class LogReader {
    private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);

    /** So far behind the end the page cache is taken to hold the bytes. */
    private static final int TAIL_BYTES = 1 << 20;

    private static final long QUIET_MILLIS = 10_000;

    private final AtomicLong quietUntilMillis = new AtomicLong(Long.MIN_VALUE);
    private final LogContext context;
    private final LocalPartitionLog log;
    private final LogContents contents;
    private volatile @Nullable PositionHints hints;

    LogReader(LogContext context, LocalPartitionLog log, LogContents contents) {
        this.context = context;
        this.log = log;
        this.contents = contents;
    }

    ReadHandle read(ReadRequest request, ReadListener listener) {
        ReadResult result = answerWithoutReading(request);
        if (result == null && isAtTail(request.offset())) {
            result = guardedRun(request, false);
        }
        if (result == null) {
            return readInBackground(request, listener);
        }
        listener.onRead(result);
        return ReadHandle.DONE;
    }

    private @Nullable ReadResult answerWithoutReading(ReadRequest request) {
        LogState state = log.state();
        if (state == LogState.DELETED || state == LogState.RECOVERING) {
            return new ReadResult.NotServed(state);
        }
        long offset = request.offset();
        if (offset < contents.logStartOffset() || offset > contents.endOffset()) {
            return outOfRange();
        }
        return offset >= bound(request.limit()) ? empty() : null;
    }

    private ReadResult outOfRange() {
        return new ReadResult.OutOfRange(contents.logStartOffset(), log.visibleOffset(), log.lastStableOffset());
    }

    private ReadResult empty() {
        return records(new PieceSlice(), List.of());
    }

    private ReadResult records(PieceSlice slice, List<AbortedTransaction> aborted) {
        return new ReadResult.Records(
                slice, contents.logStartOffset(), log.visibleOffset(), log.lastStableOffset(), aborted);
    }

    private long bound(Limit limit) {
        return switch (limit) {
            case VISIBLE -> log.visibleOffset();
            case LAST_STABLE -> log.lastStableOffset();
            case END -> contents.endOffset();
        };
    }

    private boolean isAtTail(long offset) {
        Segment active = contents.active();
        if (active == null || offset < active.baseOffset() || active.index() == null) {
            return false;
        }
        int size = active.sizeBytes();
        if (size <= TAIL_BYTES) {
            return true;
        }
        int known = hints().find(active.name(), offset);
        int position = known >= 0 ? known : active.index().positionFor(offset);
        return size - position <= TAIL_BYTES;
    }

    private PositionHints hints() {
        PositionHints current = hints;
        if (current == null) {
            current = new PositionHints();
            hints = current;
        }
        return current;
    }

    private ReadHandle readInBackground(ReadRequest request, ReadListener listener) {
        long share = Math.max(1, Math.min(request.maxBytes(), LogRead.MIN_REGION_BYTES));
        AtomicBoolean over = new AtomicBoolean();
        Runnable task = () -> runInBackground(request, listener, share, over);
        Runnable refused = () -> hand(request, new ReadResult.Failed(CatchUpReaders.STOPPED), listener, over, 0);
        if (request.limit() == Limit.END) { // all clients of a coordinator wait for it
            context.catchUpReaders().submitFirst(share, task, refused);
        } else if (!context.catchUpReaders().submit(share, task, refused)) {
            listener.onRead(new ReadResult.Failed(CatchUpReaders.TOO_MANY));
            return ReadHandle.DONE;
        }
        return () -> over.compareAndSet(false, true);
    }

    private void runInBackground(ReadRequest request, ReadListener listener, long share, AtomicBoolean over) {
        if (over.get()) {
            context.catchUpReaders().giveBack(share);
            return;
        }
        ReadResult result = Objects.requireNonNull(guardedRun(request, true));
        long held = result instanceof ReadResult.Records records && records.slice() instanceof PieceSlice slice
                ? Math.max(share, slice.memoryBytes())
                : share;
        context.catchUpReaders().charge(held - share);
        hand(request, result, listener, over, held);
    }

    /** Where the reader's executor takes nothing any more there is nobody left to hear of it: what was read is let go. */
    private void hand(ReadRequest request, ReadResult result, ReadListener listener, AtomicBoolean over, long held) {
        boolean taken = tryHand(request.executor(), () -> {
            context.catchUpReaders().giveBack(held);
            deliver(result, listener, over);
        });
        if (!taken) {
            context.catchUpReaders().giveBack(held);
            if (result instanceof ReadResult.Records records) {
                records.slice().release();
            }
        }
    }

    /** Whether an executor takes an answer: one that is shut down has nobody left who would hear of it. */
    static boolean tryHand(Executor executor, Runnable answer) {
        try {
            executor.execute(answer);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("nobody waits for the answer any more", e);
            return false;
        }
    }

    /** Whoever waits hears of a defect as well, and what is held for the read is given back. */
    @SuppressWarnings("checkstyle:IllegalCatch") // a defect here must not leave its waiter hanging
    private @Nullable ReadResult guardedRun(ReadRequest request, boolean background) {
        try {
            return run(request, background);
        } catch (RuntimeException | Error e) {
            LOG.error(
                    "a defect ended a read log={} offset={}",
                    contents.identity().displayName(),
                    request.offset(),
                    e);
            return new ReadResult.Failed("a defect ended the read: " + e);
        }
    }

    private static void deliver(ReadResult result, ReadListener listener, AtomicBoolean over) {
        if (over.compareAndSet(false, true)) {
            listener.onRead(result);
        } else if (result instanceof ReadResult.Records records) {
            records.slice().release();
        }
    }

    /** Reads on this thread, which may wait for the disk. */
    ReadResult readNow(ReadRequest request) {
        ReadResult early = answerWithoutReading(request);
        return early != null ? early : Objects.requireNonNull(run(request, true));
    }

    /** Returns null where this thread would have to wait for the disk, and must not. */
    private @Nullable ReadResult run(ReadRequest request, boolean background) {
        try {
            return runOnce(request, background);
        } catch (NoSuchFileException e) {
            return runAgain(request, background);
        } catch (IOException e) {
            return onFailure(request, e);
        }
    }

    /** The segments that were read from have been replaced or deleted meanwhile: now there are others. */
    private @Nullable ReadResult runAgain(ReadRequest request, boolean background) {
        try {
            return runOnce(request, background);
        } catch (IOException e) {
            return onFailure(request, e);
        }
    }

    /** Where it is not known from an offset on what was aborted, what lies before is served. */
    private @Nullable ReadResult runOnce(ReadRequest request, boolean background) throws IOException {
        long bound = bound(request.limit());
        while (true) {
            try {
                return runBelow(request, background, bound);
            } catch (UnreadableChunkException e) {
                if (e.firstOffset() <= request.offset()) {
                    throw e;
                }
                bound = e.firstOffset();
            }
        }
    }

    /**
     * The aborted transactions come first, and with them the segments: a cleaning that leaves out data of some has them
     * forgotten before the next one leaves out their markers.
     */
    private @Nullable ReadResult runBelow(ReadRequest request, boolean background, long bound) throws IOException {
        AbortedView aborted;
        Segment[] segments;
        do {
            aborted = contents.aborted().view();
            segments = contents.segments();
        } while (aborted.floor() != contents.aborted().view().floor());
        ReadPlan plan = new ReadPlan(
                segments,
                contents.epochs(),
                hints(),
                context.allocator(),
                request.offset(),
                request.maxBytes(),
                request.atLeastOneBatch(),
                bound,
                background,
                log.config().indexIntervalBytes());
        try {
            return readAs(plan, request, aborted);
        } catch (DamagedBatchException e) {
            return onDamaged(e);
        } catch (MemoryExhaustedException e) {
            return new ReadResult.Failed("no memory for the read: " + e.getMessage());
        }
    }

    private @Nullable ReadResult readAs(ReadPlan plan, ReadRequest request, AbortedView aborted) throws IOException {
        LogRead read = new LogRead(plan);
        PieceSlice slice = read.run();
        boolean used = false;
        try {
            if (request.offset() < contents.logStartOffset()) {
                return outOfRange(); // its start has passed the reader meanwhile: segments may be missing in between
            }
            List<AbortedTransaction> overlapping = request.limit() == Limit.LAST_STABLE
                    ? aborted.between(request.offset(), read.nextOffset(), plan.background())
                    : List.of();
            used = overlapping != null;
            return overlapping == null ? null : records(slice, overlapping);
        } finally {
            if (!used) {
                slice.release();
            }
        }
    }

    private ReadResult onDamaged(DamagedBatchException e) {
        if (e.isFirstSeen()) {
            context.metrics().corruptBatches().increment();
            LOG.error(
                    "a damaged batch is not served log={} file={} position={} offset={}",
                    contents.identity().displayName(),
                    e.file(),
                    e.position(),
                    e.offset());
        }
        return new ReadResult.Corrupt(e.file(), e.position(), e.offset());
    }

    private ReadResult onFailure(ReadRequest request, IOException e) {
        if (log.state() == LogState.DELETED) {
            return new ReadResult.NotServed(LogState.DELETED);
        }
        if (request.offset() < contents.logStartOffset()) {
            return outOfRange();
        }
        if (isReportDue()) {
            LOG.error(
                    "records cannot be read log={} offset={} reason={}",
                    contents.identity().displayName(),
                    request.offset(),
                    FileFailures.text(e));
        }
        String cause = FileFailures.text(e);
        return e instanceof MissingRecordsException || e instanceof UnreadableChunkException
                ? new ReadResult.Failed(cause, true)
                : new ReadResult.Failed("the disk failed: " + cause);
    }

    /** Clients try again at once, and for as long as it takes: one line every ten seconds is enough. */
    boolean isReportDue() {
        long now = context.steadyMillis();
        long quiet = quietUntilMillis.get();
        return now >= quiet && quietUntilMillis.compareAndSet(quiet, now + QUIET_MILLIS);
    }

    /** Where a batch that is copied forward lies: reads the bytes of the active segment from a position on. */
    static ByteBuf readTail(LogContext context, Segment segment, int from, int length) throws IOException {
        ByteBuf bytes = context.allocator().directBuffer(length, length);
        boolean done = false;
        StorageFile file = segment.openFiles().acquire(segment.file());
        try {
            bytes.writerIndex(file.read(bytes.nioBuffer(0, length), from));
            done = true;
            return bytes;
        } finally {
            segment.openFiles().release(segment.file());
            if (!done) {
                bytes.release();
            }
        }
    }
}
