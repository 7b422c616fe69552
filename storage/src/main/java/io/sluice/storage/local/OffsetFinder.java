package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.sluice.base.error.FileFailures;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.MalformedBatchException;
import io.sluice.protocol.record.RecordCursor;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.reader.CatchUpReaders;
import io.sluice.storage.local.reader.MissingRecordsException;
import io.sluice.storage.local.segment.BatchScanner;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentIndex;
import io.sluice.storage.local.segment.SegmentLoss;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.OffsetQuery;
import io.sluice.storage.log.OffsetQuery.Result;
import io.sluice.storage.log.ReadRequest.Limit;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One search for an offset. The ends are known; a search by time looks into batches, also compressed ones, and runs on the
 * reader pool.
 */
final class OffsetFinder {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetFinder.class);
    private static final long SHARE_BYTES = 64 << 10;

    private final LogContext context;
    private final LocalPartitionLog log;
    private final LogContents contents;
    private final OffsetQuery query;

    OffsetFinder(LogContext context, LocalPartitionLog log, LogContents contents, OffsetQuery query) {
        this.context = context;
        this.log = log;
        this.contents = contents;
        this.query = query;
    }

    void find(Consumer<Result> listener) {
        Result known = answerWithoutReading();
        if (known != null) {
            answer(listener, known);
            return;
        }
        boolean accepted = context.catchUpReaders()
                .submit(
                        SHARE_BYTES,
                        () -> searchInBackground(listener),
                        () -> refuse(listener, CatchUpReaders.STOPPED));
        if (!accepted) {
            refuse(listener, CatchUpReaders.TOO_MANY);
        }
    }

    private void refuse(Consumer<Result> listener, String why) {
        answer(listener, new Result.Failed(why));
    }

    private void answer(Consumer<Result> listener, Result result) {
        LogReader.tryHand(query.executor(), () -> listener.accept(result));
    }

    private void searchInBackground(Consumer<Result> listener) {
        Result result;
        try {
            result = guardedSearch();
        } finally {
            context.catchUpReaders().giveBack(SHARE_BYTES);
        }
        answer(listener, result);
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // whoever waits hears of a defect as well
    private Result guardedSearch() {
        try {
            return search();
        } catch (RuntimeException | Error e) {
            LOG.error(
                    "a defect ended a search by time log={}",
                    contents.identity().displayName(),
                    e);
            return new Result.Failed("a defect ended the search: " + e);
        }
    }

    private @Nullable Result answerWithoutReading() {
        LogState state = log.state();
        if (state == LogState.DELETED || state == LogState.RECOVERING) {
            return new Result.Failed("the partition is " + state);
        }
        long timestamp = query.timestamp();
        if (timestamp == OffsetQuery.LATEST) {
            return new Result.Found(
                    bound(), BatchView.NO_TIMESTAMP, contents.epochs().latest());
        }
        if (timestamp == OffsetQuery.EARLIEST || timestamp == OffsetQuery.EARLIEST_LOCAL) {
            long start = contents.logStartOffset();
            return new Result.Found(
                    start, BatchView.NO_TIMESTAMP, contents.epochs().epochAt(start));
        }
        return timestamp < 0 && timestamp != OffsetQuery.MAX_TIMESTAMP ? new Result.Nothing() : null;
    }

    private long bound() {
        return query.limit() == Limit.LAST_STABLE
                ? log.lastStableOffset()
                : query.limit() == Limit.END ? contents.endOffset() : log.visibleOffset();
    }

    private Result search() {
        try {
            Result found = query.timestamp() == OffsetQuery.MAX_TIMESTAMP ? searchLargest() : searchAtOrAfter();
            return found instanceof Result.Found one && one.offset() >= bound() ? new Result.Nothing() : found;
        } catch (MemoryExhaustedException e) {
            return new Result.Failed("no memory for the search: " + e.getMessage());
        } catch (IOException e) {
            if (log.state() != LogState.DELETED && log.reader().isReportDue()) {
                LOG.error(
                        "a search by time failed log={} timestamp={} reason={}",
                        contents.identity().displayName(),
                        query.timestamp(),
                        FileFailures.text(e));
            }
            return new Result.Failed("the log could not be searched: " + FileFailures.text(e));
        }
    }

    private Result searchAtOrAfter() throws IOException {
        for (Segment segment : contents.segments()) {
            if (segment.maxTimestamp() >= query.timestamp()) {
                Result found = searchSegment(segment, query.timestamp());
                if (found instanceof Result.Found) {
                    return found;
                }
            }
        }
        return new Result.Nothing();
    }

    private Result searchLargest() throws IOException {
        Segment best = null;
        for (Segment segment : contents.segments()) {
            if (best == null || segment.maxTimestamp() > best.maxTimestamp()) {
                best = segment;
            }
        }
        return best == null || best.maxTimestamp() < 0
                ? new Result.Nothing()
                : searchSegment(best, best.maxTimestamp());
    }

    /** The first record at or after a time, in the order of offsets. */
    private Result searchSegment(Segment segment, long timestamp) throws IOException {
        SegmentLoss loss = segment.loss();
        int size = loss == null ? segment.sizeBytes() : loss.position();
        SegmentIndex index = segment.loadIndex(log.config().indexIntervalBytes());
        StorageFile file = segment.openFiles().acquire(segment.file());
        try {
            BatchScanner scanner = new BatchScanner(file, index.positionForTimestamp(timestamp), size);
            while (scanner.next()) {
                if (scanner.batch().maxTimestamp() >= timestamp) {
                    Result found = searchBatch(file, scanner, timestamp);
                    if (found != null) {
                        return found;
                    }
                }
            }
            if (loss != null) { // what is wanted may be among what is missing
                throw new MissingRecordsException(segment, loss);
            }
            return new Result.Nothing();
        } finally {
            segment.openFiles().release(segment.file());
        }
    }

    private @Nullable Result searchBatch(StorageFile file, BatchScanner scanner, long timestamp) throws IOException {
        int length = scanner.nextPosition() - scanner.position();
        ByteBuf bytes = context.allocator().directBuffer(length, length);
        try (RecordCursor cursor = new RecordCursor()) {
            int count = file.read(bytes.nioBuffer(0, length), scanner.position());
            BatchView batch = new BatchView().wrap(bytes.writerIndex(count), 0);
            if (count < length || !batch.isCrcValid()) {
                throw new IOException("damaged batch in " + file.path() + " at position " + scanner.position());
            }
            cursor.open(batch);
            while (cursor.next()) {
                if (cursor.timestamp() >= timestamp && cursor.offset() >= contents.logStartOffset()) {
                    return new Result.Found(cursor.offset(), cursor.timestamp(), batch.leaderEpoch());
                }
            }
            return null;
        } catch (MalformedBatchException e) {
            // A producer's compressed batch is stored as it came, sound inside or not: it has the times of its header.
            BatchView batch = new BatchView().wrap(bytes, 0);
            return new Result.Found(batch.baseOffset(), batch.maxTimestamp(), batch.leaderEpoch());
        } finally {
            bytes.release();
        }
    }
}
