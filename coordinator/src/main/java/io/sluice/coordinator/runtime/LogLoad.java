package io.sluice.coordinator.runtime;

import io.netty.buffer.ByteBuf;
import io.sluice.storage.log.LogSlice;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader.LoadSummary;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition being loaded.
 *
 * <pre>
 *                  pausing
 *                   ^   |
 *                   |   v
 * waiting its turn -> reading <-> replaying -> done
 *         |             |            |
 *         '-------------+------------+-------> failed
 * </pre>
 *
 * <p>Every step runs on one serial executor, so nothing here is locked. A log that still recovers, and reads that fail, are
 * tried again after a pause, in which others load; {@value #MAX_TRIES} tries on end, some two minutes of them, fail the load.
 * So do, at once, a damaged batch and records whose file is missing, because skipping them would bring back old offsets, and
 * a log that failed to open.
 */
final class LogLoad {
    private static final Logger LOG = LoggerFactory.getLogger(LogLoad.class);
    static final int MAX_TRIES = 64;
    /** For the log: it is not clients who can mend it. */
    private static final String WAY_OUT =
            "; what is kept there answers NOT_COORDINATOR: restore the file from a copy and start again, or see 'When"
                    + " something is wrong' in docs/operations.md";

    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final LogLoader owner;
    private final TopicPartition partition;
    private final Executor executor;
    private final ToldFuture future = new ToldFuture();
    private final LogLoader.LoadWatch watch;
    private final RecordReplay replay;
    private final long queuedMillis;
    private final int epoch;
    private long startedMillis = -1;
    private volatile boolean abandoned;
    private int tries;
    private long nextOffset = -1;
    private long bytes;
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    LogLoad(
            LogLoader owner,
            TopicPartition partition,
            CoordinatorPlayback<CoordinatorRecord> playback,
            Executor executor) {
        this.owner = owner;
        this.partition = partition;
        this.executor = executor;
        // Before anybody hears of the load: who does may hold another election, which is not this load's.
        this.epoch = owner.topic().leaderEpoch(partition.partition());
        this.watch = owner.listener().onLoading(partition.partition());
        this.replay = new RecordReplay(partition, playback, owner.serde(), watch);
        this.queuedMillis = owner.time().milliseconds();
    }

    /**
     * Knows when the library has been told that the load is over. It asks to be told after it has been given this, which a
     * short load may be over before; what reaches the library in between it refuses, because the partition is loading.
     */
    private static final class ToldFuture extends CompletableFuture<LoadSummary> {
        private final CompletableFuture<Void> told = new CompletableFuture<>();

        @Override
        public CompletableFuture<LoadSummary> whenComplete(BiConsumer<? super LoadSummary, ? super Throwable> action) {
            return super.whenComplete((summary, failure) -> {
                action.accept(summary, failure);
                told.complete(null);
            });
        }
    }

    CompletableFuture<LoadSummary> future() {
        return future;
    }

    /** It is its turn, for the first time or after a pause. */
    void start() {
        executor.execute(() -> {
            if (startedMillis < 0) {
                startedMillis = owner.time().milliseconds();
            }
            guarded(this::step);
        });
    }

    void cancel() {
        if (future.completeExceptionally(
                new NotLeaderOrFollowerException("loading of " + partition + " was stopped"))) {
            owner.onDone(this);
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Whatever goes wrong in a step fails the load: the library, and a place among those that load, wait for its end. */
    @SuppressWarnings(
            "checkstyle:IllegalCatch") // a record the library cannot replay must fail this load, not the thread
    private void guarded(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            fail(new KafkaStorageException("reading " + partition + " at offset " + nextOffset + " failed", e));
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private void step() {
        if (future.isDone() || abandoned) {
            return;
        }
        PartitionLog log = owner.topic().log(partition);
        LogState state = log == null ? LogState.RECOVERING : log.state();
        if (!isStillElected()) {
            abandon();
        } else if (state == LogState.FAILED) {
            giveUp("its log could not be opened or written; the node's log says why");
        } else if (log == null || state == LogState.RECOVERING) {
            awaitLog();
        } else if (state == LogState.DELETED) {
            fail(new NotLeaderOrFollowerException(partition + " was deleted"));
        } else {
            readOrFinish(log);
        }
    }

    private void awaitLog() {
        tries++;
        if (tries < MAX_TRIES) {
            pauseLonger();
        } else {
            giveUp("its log did not come to serve");
        }
    }

    /** Lets go of the election, so that there can be another one when the log serves. */
    private void giveUp(String reason) {
        LOG.error("What {} holds is not served: {}", partition, reason);
        fail(new KafkaStorageException(partition + " cannot be loaded: " + reason));
        owner.listener().onUnusable(partition.partition(), epoch);
    }

    private boolean isStillElected() {
        return epoch >= 0 && owner.topic().leaderEpoch(partition.partition()) == epoch;
    }

    /**
     * Another election, or none, has come since. The library would take the end of this load for the end of the next one's: so
     * it hears of none, having been told of the resignation.
     */
    private void abandon() {
        abandoned = true;
        owner.onDone(this);
    }

    private void readOrFinish(PartitionLog log) {
        if (nextOffset < 0) {
            nextOffset = log.logStartOffset();
            replay.start(log.visibleOffset());
        }
        if (nextOffset >= log.endOffset()) {
            finish(log.endOffset());
            return;
        }
        ReadRequest request = new ReadRequest(nextOffset, owner.bufferBytes(), true, ReadRequest.Limit.END, executor);
        log.read(request, result -> executor.execute(() -> guarded(() -> handle(log, result))));
    }

    private void handle(PartitionLog log, ReadResult result) throws IOException {
        if (result instanceof ReadResult.Records records) {
            onRecords(log, records.slice());
        } else if (result instanceof ReadResult.OutOfRange range) {
            onOutOfRange(range);
        } else if (result instanceof ReadResult.Corrupt corrupt) {
            throw new KafkaStorageException(
                    "what " + partition + " holds cannot be loaded: the batch at offset " + corrupt.offset()
                            + " is damaged (" + corrupt.file() + " at position " + corrupt.position() + ")" + WAY_OUT);
        } else if (result instanceof ReadResult.Failed failed && failed.lasting()) {
            throw new KafkaStorageException(
                    "what " + partition + " holds cannot be loaded: " + failed.detail() + WAY_OUT);
        } else {
            onFailedRead(result);
        }
    }

    private void onFailedRead(ReadResult result) {
        tries++;
        if (tries >= MAX_TRIES) {
            throw new KafkaStorageException("what " + partition + " holds cannot be loaded: reading at offset "
                    + nextOffset + " failed " + tries + " times, last with " + result
                    + "; it is served again after a start that can read it");
        }
        LOG.debug("Reading {} at offset {} is tried again: {}", partition, nextOffset, result);
        pauseLonger();
    }

    /** The more tries there were, the longer. */
    private void pauseLonger() {
        int doublings = Math.min(tries - 1, 10);
        pause(Math.min(SHORTEST_PAUSE_NANOS << doublings, LogLoader.LONGEST_PAUSE_NANOS));
    }

    private void onRecords(PartitionLog log, LogSlice slice) throws IOException {
        MemoryRecords records;
        try {
            records = copy(slice);
        } finally {
            slice.release();
        }
        if (records.sizeInBytes() == 0) {
            // The cleaner may have emptied the end of the log.
            finish(log.endOffset());
            return;
        }
        tries = 0;
        nextOffset = replay.replay(records, nextOffset);
        bytes += records.sizeInBytes();
        step();
    }

    /** The start moved up under us: what was cut off is not wanted. */
    private void onOutOfRange(ReadResult.OutOfRange range) {
        if (range.logStartOffset() <= nextOffset) {
            throw new KafkaStorageException("offset " + nextOffset + " of " + partition + " is out of range");
        }
        nextOffset = range.logStartOffset();
        step();
    }

    private MemoryRecords copy(LogSlice slice) throws IOException {
        int size = slice.sizeInBytes();
        if (buffer.capacity() < size) {
            buffer = ByteBuffer.allocate(Math.max(size, Math.min(owner.bufferBytes(), 2 * size)));
        }
        buffer.clear().limit(size);
        for (LogSlice.Piece piece : slice.pieces()) {
            copyPiece(piece);
        }
        return MemoryRecords.readableRecords(buffer.flip());
    }

    private void copyPiece(LogSlice.Piece piece) throws IOException {
        if (piece instanceof LogSlice.Piece.Memory memory) {
            ByteBuf from = memory.bytes();
            int limit = buffer.limit();
            buffer.limit(buffer.position() + from.readableBytes());
            from.getBytes(from.readerIndex(), buffer);
            buffer.limit(limit);
        } else if (piece instanceof LogSlice.Piece.FileRegion region) {
            copyRegion(region);
        }
    }

    private void copyRegion(LogSlice.Piece.FileRegion region) throws IOException {
        int limit = buffer.limit();
        int start = buffer.position();
        buffer.limit(start + region.length());
        while (buffer.hasRemaining()) {
            if (region.channel().read(buffer, region.position() + buffer.position() - start) < 0) {
                throw new EOFException("the segment ends inside a batch");
            }
        }
        buffer.limit(limit);
    }

    private void finish(long endOffset) {
        replay.finish(endOffset);
        long now = owner.time().milliseconds();
        LoadSummary summary =
                new LoadSummary(startedMillis, now, startedMillis - queuedMillis, replay.records(), bytes);
        if (tell(() -> future.complete(summary))) {
            var unused = future.told.thenRun(() -> watch.onLoaded());
            owner.onDone(this);
        }
    }

    private void fail(Throwable cause) {
        if (tell(() -> future.completeExceptionally(cause))) {
            owner.onDone(this);
        }
    }

    /** Completes the future, as long as the election is the one that the library waits for. */
    private boolean tell(BooleanSupplier completion) {
        if (owner.topic().whileElected(partition.partition(), epoch, completion)) {
            return true;
        }
        if (!future.isDone() && !abandoned) {
            abandon();
        }
        return false;
    }

    private void pause(long nanos) {
        owner.pause(this);
        owner.scheduler().schedule(() -> owner.resume(this), nanos, executor);
    }
}
