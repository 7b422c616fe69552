package io.sluice.storage.log;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.base.id.PartitionId;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.RecordCursor;
import io.sluice.storage.config.TopicConfig;
import io.sluice.storage.local.content.EpochCache;
import io.sluice.storage.local.flush.CompletionSink;
import io.sluice.storage.local.flush.DurableProgress;
import io.sluice.storage.local.producer.ProducerStates;
import io.sluice.storage.log.AppendResult.Refusal;
import io.sluice.storage.log.AppendResult.Refused;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A log whose storage is far away: appends become durable, and reads are answered, when {@link SimulatedAsyncLogWorld} says
 * so. For one thread.
 */
final class SimulatedAsyncPartitionLog implements PartitionLog {
    private final SimulatedAsyncLogWorld world;
    private final PartitionId id;
    private final TopicConfig config;
    private final List<ByteBuf> batches = new ArrayList<>();
    private final ProducerStates producers = new ProducerStates();
    private final EpochCache epochs = new EpochCache();
    private final DurableProgress progress;
    private final List<VisibilityListener> listeners = new ArrayList<>();
    private LogState state = LogState.RECOVERING;
    private int leaderEpoch = -1;
    private long logStartOffset;
    private long endOffset;
    private long pendingBytes;

    /** Rebuilds a log from what its storage holds. */
    SimulatedAsyncPartitionLog(SimulatedAsyncLogWorld world, PartitionId id, TopicConfig config, Stored stored) {
        this.world = world;
        this.id = id;
        this.config = config;
        logStartOffset = stored.logStartOffset;
        stored.epochs.forEach(epoch -> epochs.onEpoch((int) epoch[0], epoch[1]));
        for (byte[] bytes : stored.batches) {
            ByteBuf batch = Unpooled.wrappedBuffer(bytes);
            batches.add(batch);
            BatchView view = new BatchView().wrap(batch);
            producers.apply(view, 0);
            endOffset = view.nextOffset();
        }
        progress = new DurableProgress(this, endOffset);
    }

    /** What outlives the process: everything durable, and nothing else. */
    static final class Stored {
        final List<byte[]> batches = new ArrayList<>();
        final List<long[]> epochs = new ArrayList<>();
        long logStartOffset;
    }

    void toServing(int epoch) {
        leaderEpoch = epoch;
        epochs.onEpoch(epoch, endOffset);
        state = LogState.SERVING;
    }

    boolean isPending() {
        return progress.isPending();
    }

    long pendingBytes() {
        return pendingBytes;
    }

    /** The storage has confirmed everything appended so far. */
    void confirm(Stored stored) {
        for (ByteBuf batch : batches) {
            if (new BatchView().wrap(batch).baseOffset() >= durableOffset()) {
                byte[] bytes = new byte[batch.readableBytes()];
                batch.getBytes(batch.readerIndex(), bytes);
                stored.batches.add(bytes);
            }
        }
        pendingBytes = 0;
        CompletionSink sink = new CompletionSink();
        if (progress.advance(endOffset, sink)) {
            List.copyOf(listeners).forEach(listener -> listener.onVisible(this));
        }
        sink.dispatch();
    }

    void fail(LogState newState, IOException cause) {
        state = newState;
        CompletionSink sink = new CompletionSink();
        progress.fail(cause, sink);
        sink.dispatch();
        List.copyOf(listeners).forEach(listener -> listener.onStateChange(this));
    }

    @Override
    public AppendResult append(ByteBuf batch, int epoch, AppendOrigin origin, long guard) {
        if (state != LogState.SERVING) {
            Refusal reason = switch (state) {
                case DELETED -> Refusal.DELETED;
                case FAILED -> Refusal.STORAGE;
                default -> Refusal.NOT_SERVING;
            };
            return new Refused(reason, "the partition is " + state);
        }
        if (epoch != leaderEpoch) {
            return new Refused(Refusal.FENCED, "leader epoch is " + leaderEpoch);
        }
        BatchView view = new BatchView().wrap(batch);
        AppendResult decided = producers.check(view, origin, guard);
        if (decided != null) {
            return decided;
        }
        if (!world.hasRoom(batch.readableBytes())) {
            return new Refused(Refusal.FULL, "too much waits for the storage");
        }
        return place(batch, view);
    }

    @Override
    public long beginVerification(long producerId, short producerEpoch, int firstSequence, boolean raisesEpoch) {
        return producers.beginVerification(producerId, producerEpoch, firstSequence, raisesEpoch, 0);
    }

    @Override
    public void endVerification(long producerId, long guard) {
        producers.endVerification(producerId, guard);
    }

    private AppendResult place(ByteBuf batch, BatchView view) {
        view.setBaseOffset(endOffset);
        view.setLeaderEpoch(leaderEpoch);
        long time = config.logAppendTime() ? world.time().epochMillis() : -1;
        if (config.logAppendTime()) {
            view.setMaxTimestamp(time, true);
        }
        batches.add(Unpooled.copiedBuffer(batch));
        producers.apply(view, 0);
        endOffset = view.nextOffset();
        pendingBytes += batch.readableBytes();
        progress.onAppend(endOffset, endOffset);
        return new AppendResult.Appended(view.baseOffset(), view.lastOffset(), time);
    }

    @Override
    public void awaitDurable(long offset, DurabilityListener listener) {
        CompletionSink sink = new CompletionSink();
        progress.await(offset, listener, sink);
        sink.dispatch();
    }

    @Override
    public ReadHandle read(ReadRequest request, ReadListener listener) {
        boolean[] over = {false};
        world.later(request.executor(), () -> {
            if (!over[0]) {
                over[0] = true;
                listener.onRead(readNow(request));
            }
        });
        return () -> {
            boolean cancelled = !over[0];
            over[0] = true;
            return cancelled;
        };
    }

    private ReadResult readNow(ReadRequest request) {
        if (state == LogState.DELETED) {
            return new ReadResult.NotServed(state);
        }
        if (request.offset() < logStartOffset || request.offset() > endOffset) {
            return new ReadResult.OutOfRange(logStartOffset, visibleOffset(), lastStableOffset());
        }
        ByteBuf bytes = Unpooled.buffer();
        long records = 0;
        long next = request.offset();
        for (ByteBuf batch : batches) {
            BatchView view = new BatchView().wrap(batch);
            boolean wanted = view.lastOffset() >= request.offset() && view.baseOffset() < bound(request.limit());
            boolean fits = bytes.readableBytes() + batch.readableBytes() <= request.maxBytes();
            if (wanted && !fits && !(request.atLeastOneBatch() && !bytes.isReadable())) {
                break;
            }
            if (wanted) {
                bytes.writeBytes(batch.duplicate());
                records += view.recordCount();
                next = view.nextOffset();
            }
        }
        List<ReadResult.AbortedTransaction> aborted =
                request.limit() == ReadRequest.Limit.LAST_STABLE ? abortedBetween(request.offset(), next) : List.of();
        return new ReadResult.Records(
                new MemorySlice(bytes, records), logStartOffset, visibleOffset(), lastStableOffset(), aborted);
    }

    /** All of them are in memory: nothing is ever written to a file. */
    private List<ReadResult.AbortedTransaction> abortedBetween(long from, long end) {
        try {
            return Objects.requireNonNull(
                    producers.transactions().aborted().view().between(from, end, false));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long bound(ReadRequest.Limit limit) {
        return switch (limit) {
            case VISIBLE -> visibleOffset();
            case LAST_STABLE -> lastStableOffset();
            case END -> endOffset;
        };
    }

    private record MemorySlice(ByteBuf bytes, long recordCount) implements LogSlice {
        @Override
        public int sizeInBytes() {
            return bytes.readableBytes();
        }

        @Override
        public List<Piece> pieces() {
            return bytes.isReadable() ? List.of(new Piece.Memory(bytes)) : List.of();
        }

        @Override
        public void release() {
            bytes.release();
        }
    }

    @Override
    public void findOffset(OffsetQuery query, Consumer<OffsetQuery.Result> listener) {
        world.later(query.executor(), () -> listener.accept(findNow(query)));
    }

    private OffsetQuery.Result findNow(OffsetQuery query) {
        long bound = bound(query.limit());
        if (query.timestamp() == OffsetQuery.LATEST) {
            return new OffsetQuery.Result.Found(bound, -1, epochs.latest());
        }
        if (query.timestamp() == OffsetQuery.EARLIEST || query.timestamp() == OffsetQuery.EARLIEST_LOCAL) {
            return new OffsetQuery.Result.Found(logStartOffset, -1, epochs.epochAt(logStartOffset));
        }
        long largest = batches.stream()
                .mapToLong(batch -> new BatchView().wrap(batch).maxTimestamp())
                .max()
                .orElse(-1);
        long wanted = query.timestamp() == OffsetQuery.MAX_TIMESTAMP ? largest : query.timestamp();
        OffsetQuery.Result.Found found = firstAtOrAfter(wanted);
        return found == null || wanted < 0 || found.offset() >= bound ? new OffsetQuery.Result.Nothing() : found;
    }

    private OffsetQuery.Result.@Nullable Found firstAtOrAfter(long timestamp) {
        for (ByteBuf batch : batches) {
            BatchView view = new BatchView().wrap(batch);
            try (RecordCursor cursor = new RecordCursor().open(view)) {
                while (cursor.next()) {
                    if (cursor.timestamp() >= timestamp && cursor.offset() >= logStartOffset) {
                        return new OffsetQuery.Result.Found(cursor.offset(), cursor.timestamp(), view.leaderEpoch());
                    }
                }
            }
        }
        return null;
    }

    @Override
    public EpochEndOffset endOffsetForEpoch(int epoch) {
        return epochs.endOffsetFor(epoch, endOffset);
    }

    @Override
    public CompletionStage<Long> trim(long offset) {
        long target = offset == -1 ? visibleOffset() : offset;
        if (target < 0 || target > visibleOffset()) {
            return CompletableFuture.failedFuture(
                    new OffsetOutOfRangeException(target, logStartOffset, visibleOffset()));
        }
        CompletableFuture<Long> trimmed = new CompletableFuture<>();
        world.later(Runnable::run, () -> {
            logStartOffset = Math.max(logStartOffset, target);
            world.stored(this).logStartOffset = logStartOffset;
            epochs.onLogStart(logStartOffset);
            trimmed.complete(logStartOffset);
        });
        return trimmed;
    }

    @Override
    public CompletionStage<Long> seal(int epoch) {
        state = LogState.SEALED;
        return whenDurable(endOffset, durable -> endOffset);
    }

    private CompletionStage<Long> whenDurable(long offset, Function<Long, Long> result) {
        CompletableFuture<Long> stage = new CompletableFuture<>();
        awaitDurable(offset, new DurabilityListener() {
            @Override
            public Executor executor() {
                return Runnable::run;
            }

            @Override
            public void onDurable(PartitionLog log, long durable) {
                stage.complete(result.apply(durable));
            }

            @Override
            public void onUnknown(PartitionLog log, long durable, IOException cause) {
                stage.completeExceptionally(cause);
            }
        });
        return stage;
    }

    @Override
    public PartitionId id() {
        return id;
    }

    @Override
    public LogState state() {
        return state;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public long logStartOffset() {
        return logStartOffset;
    }

    @Override
    public long endOffset() {
        return endOffset;
    }

    @Override
    public long durableOffset() {
        return progress.durableOffset();
    }

    @Override
    public long visibleOffset() {
        return progress.durableOffset();
    }

    @Override
    public long lastStableOffset() {
        return Math.max(
                Math.min(logStartOffset, visibleOffset()),
                producers.transactions().stableOffset(visibleOffset()));
    }

    @Override
    public void addVisibilityListener(VisibilityListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeVisibilityListener(VisibilityListener listener) {
        listeners.remove(listener);
    }

    @Override
    public long sizeInBytes() {
        return batches.stream().mapToLong(ByteBuf::readableBytes).sum();
    }

    @Override
    public List<ProducerSnapshot> activeProducers() {
        return producers.snapshots();
    }
}
