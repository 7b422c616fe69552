package io.sluice.broker.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.base.id.PartitionId;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.RecordCursor;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.EpochEndOffset;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.OffsetOutOfRangeException;
import io.sluice.storage.log.OffsetQuery;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ProducerSnapshot;
import io.sluice.storage.log.ReadHandle;
import io.sluice.storage.log.ReadListener;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.VisibilityListener;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A log in memory. What is appended becomes durable, and visible, at {@link #flush()}, or at once where the store says so.
 * Idempotent producers are checked by the rules of KIP-98, with the last five batches remembered.
 */
public final class InMemoryPartitionLog implements PartitionLog {
    private static final int REMEMBERED_BATCHES = 5;

    private final InMemoryPartitionLogStore store;
    private final PartitionId id;
    private final List<Stored> batches = new ArrayList<>();
    private final List<Long> guards = new ArrayList<>();
    private final List<Long> endedVerifications = new ArrayList<>();
    private long verification = NO_GUARD;
    private final Map<Long, Producer> producers = new HashMap<>();
    private final List<Waiter> waiters = new ArrayList<>();
    private final List<VisibilityListener> listeners = new ArrayList<>();
    private LogState state = LogState.SERVING;
    private int leaderEpoch;
    private long logStartOffset;
    private long endOffset;
    private long durableOffset;
    private long lastStableOffset = Long.MAX_VALUE;
    private long corruptFrom = Long.MAX_VALUE;
    private List<ReadResult.AbortedTransaction> aborted = List.of();
    private int reads;

    @SuppressWarnings("ArrayRecordComponent") // opaque bytes, never compared
    private record Stored(long baseOffset, long nextOffset, int leaderEpoch, byte[] bytes) {}

    private record Waiter(long offset, DurabilityListener listener) {}

    private record Remembered(int baseSequence, int lastSequence, long baseOffset, long lastOffset, long timestamp) {}

    private static final class Producer {
        short epoch = -1;
        final Deque<Remembered> last = new ArrayDeque<>();
    }

    InMemoryPartitionLog(InMemoryPartitionLogStore store, PartitionId id, int leaderEpoch) {
        this.store = store;
        this.id = id;
        this.leaderEpoch = leaderEpoch;
    }

    // ---- What a test does to it

    /** Makes everything appended durable and visible. */
    public void flush() {
        long before = visibleOffset();
        durableOffset = endOffset;
        wakeWaiters();
        if (visibleOffset() != before) {
            List.copyOf(listeners).forEach(listener -> listener.onVisible(this));
        }
    }

    /** Loses the flush: whoever waits hears that the outcome is unknown. */
    public void failFlush() {
        List<Waiter> failed = List.copyOf(waiters);
        waiters.clear();
        for (Waiter waiter : failed) {
            waiter.listener
                    .executor()
                    .execute(() -> waiter.listener.onUnknown(this, durableOffset, new IOException("EIO")));
        }
    }

    /** Sets where the last stable offset stands, and which transactions were aborted. */
    public void setLastStableOffset(long offset, List<ReadResult.AbortedTransaction> abortedTransactions) {
        lastStableOffset = offset;
        aborted = abortedTransactions;
        List.copyOf(listeners).forEach(listener -> listener.onVisible(this));
    }

    /** Reads from this offset on find damaged bytes. */
    public void corruptFrom(long offset) {
        corruptFrom = offset;
    }

    /** Moves through its life. */
    public void become(LogState newState) {
        state = newState;
        List.copyOf(listeners).forEach(listener -> listener.onStateChange(this));
    }

    /** Starts a new epoch. */
    public void beginEpoch(int epoch) {
        leaderEpoch = epoch;
    }

    /** How many reads there were. */
    public int reads() {
        return reads;
    }

    /** How many listeners hear of its visible offset. */
    public int listenerCount() {
        return listeners.size();
    }

    /** All batches, as stored. */
    public ByteBuf contents() {
        return Unpooled.wrappedBuffer(batches.stream().map(Stored::bytes).toArray(byte[][]::new));
    }

    // ---- The log

    @Override
    public AppendResult append(ByteBuf batch, int epoch, AppendOrigin origin, long guard) {
        if (state != LogState.SERVING) {
            AppendResult.Refusal reason = switch (state) {
                case DELETED -> AppendResult.Refusal.DELETED;
                case FAILED -> AppendResult.Refusal.STORAGE;
                default -> AppendResult.Refusal.NOT_SERVING;
            };
            return new AppendResult.Refused(reason, "the log is " + state);
        }
        if (epoch != leaderEpoch) {
            return new AppendResult.Refused(AppendResult.Refusal.FENCED, "epoch " + epoch);
        }
        if (store.isFull()) {
            return new AppendResult.Refused(AppendResult.Refusal.FULL, "the buffer is full");
        }
        BatchView view = new BatchView().wrap(batch);
        AppendResult decided = origin == AppendOrigin.CLIENT && view.hasProducerId() ? checkProducer(view) : null;
        guards.add(guard);
        return decided != null ? decided : store(view);
    }

    /** What questions for a verification are answered with; the guards of appends are kept and not looked at. */
    public void setVerification(long answer) {
        verification = answer;
    }

    /** Guards of verifications that were refused for good, oldest first. */
    public List<Long> endedVerifications() {
        return endedVerifications;
    }

    /** With which guards batches were appended, oldest first. */
    public List<Long> guards() {
        return guards;
    }

    @Override
    public long beginVerification(long producerId, short producerEpoch, int firstSequence, boolean raisesEpoch) {
        return verification;
    }

    @Override
    public void endVerification(long producerId, long guard) {
        endedVerifications.add(guard);
    }

    private AppendResult store(BatchView view) {
        long base = endOffset;
        view.setBaseOffset(base);
        view.setLeaderEpoch(leaderEpoch);
        endOffset = view.nextOffset();
        byte[] bytes = ByteBufUtil.getBytes(view.buffer(), view.index(), view.sizeInBytes());
        batches.add(new Stored(base, endOffset, leaderEpoch, bytes));
        long time = view.isLogAppendTime() ? view.maxTimestamp() : -1;
        if (view.hasProducerId()) {
            remember(view, base);
        }
        if (store.flushesAtOnce()) {
            flush();
        }
        return new AppendResult.Appended(base, endOffset - 1, time);
    }

    private void remember(BatchView view, long base) {
        Producer producer = producers.computeIfAbsent(view.producerId(), key -> new Producer());
        if (producer.epoch != view.producerEpoch()) {
            producer.epoch = view.producerEpoch();
            producer.last.clear();
        }
        producer.last.addLast(
                new Remembered(view.baseSequence(), view.lastSequence(), base, endOffset - 1, view.maxTimestamp()));
        if (producer.last.size() > REMEMBERED_BATCHES) {
            producer.last.removeFirst();
        }
    }

    private @Nullable AppendResult checkProducer(BatchView view) {
        Producer producer = producers.get(view.producerId());
        if (producer == null) {
            return null;
        }
        if (view.producerEpoch() < producer.epoch) {
            return new AppendResult.Refused(
                    AppendResult.Refusal.INVALID_PRODUCER_EPOCH, "epoch " + view.producerEpoch() + " is fenced");
        }
        if (view.producerEpoch() > producer.epoch) {
            return view.baseSequence() == 0 ? null : outOfOrder(view);
        }
        for (Remembered known : producer.last) {
            if (known.baseSequence == view.baseSequence() && known.lastSequence == view.lastSequence()) {
                return new AppendResult.Duplicate(known.baseOffset, known.lastOffset, known.timestamp);
            }
        }
        int expected = (producer.last.getLast().lastSequence + 1) & Integer.MAX_VALUE;
        return view.baseSequence() == expected ? null : outOfOrder(view);
    }

    private static AppendResult outOfOrder(BatchView view) {
        return new AppendResult.Refused(
                AppendResult.Refusal.OUT_OF_ORDER_SEQUENCE, "sequence " + view.baseSequence() + " leaves a gap");
    }

    @Override
    public void awaitDurable(long offset, DurabilityListener listener) {
        waiters.add(new Waiter(offset, listener));
        wakeWaiters();
    }

    private void wakeWaiters() {
        List<Waiter> durable = waiters.stream()
                .filter(waiter -> waiter.offset <= durableOffset)
                .toList();
        waiters.removeAll(durable);
        for (Waiter waiter : durable) {
            waiter.listener.executor().execute(() -> waiter.listener.onDurable(this, durableOffset));
        }
    }

    @Override
    public ReadHandle read(ReadRequest request, ReadListener listener) {
        reads++;
        if (store.delaysReads()) {
            return store.delay(() -> listener.onRead(readNow(request)));
        }
        listener.onRead(readNow(request));
        return ReadHandle.DONE;
    }

    private ReadResult readNow(ReadRequest request) {
        if (state == LogState.DELETED || state == LogState.RECOVERING) {
            return new ReadResult.NotServed(state);
        }
        if (request.offset() < logStartOffset || request.offset() > endOffset) {
            return new ReadResult.OutOfRange(logStartOffset, visibleOffset(), lastStableOffset());
        }
        if (request.offset() >= corruptFrom) {
            return new ReadResult.Corrupt("00000000000000000000.log", 0, request.offset());
        }
        long end = switch (request.limit()) {
            case VISIBLE -> visibleOffset();
            case LAST_STABLE -> lastStableOffset();
            case END -> endOffset;
        };
        List<byte[]> found = new ArrayList<>();
        int bytes = 0;
        for (Stored batch : batches) {
            if (batch.nextOffset <= request.offset() || batch.baseOffset >= end || batch.baseOffset >= corruptFrom) {
                continue;
            }
            boolean fits = bytes + batch.bytes.length <= request.maxBytes();
            if (!fits && !(found.isEmpty() && request.atLeastOneBatch())) {
                break;
            }
            found.add(batch.bytes);
            bytes += batch.bytes.length;
        }
        List<ReadResult.AbortedTransaction> transactions =
                request.limit() == ReadRequest.Limit.LAST_STABLE ? aborted : List.of();
        return new ReadResult.Records(
                store.slice(found), logStartOffset, visibleOffset(), lastStableOffset(), transactions);
    }

    @Override
    public void findOffset(OffsetQuery query, Consumer<OffsetQuery.Result> listener) {
        OffsetQuery.Result result = find(query);
        query.executor().execute(() -> listener.accept(result));
    }

    private OffsetQuery.Result find(OffsetQuery query) {
        if (state == LogState.FAILED) {
            return new OffsetQuery.Result.Failed("the disk failed");
        }
        long end = query.limit() == ReadRequest.Limit.LAST_STABLE ? lastStableOffset() : visibleOffset();
        if (query.timestamp() == OffsetQuery.LATEST) {
            return new OffsetQuery.Result.Found(end, -1, leaderEpoch);
        }
        if (query.timestamp() == OffsetQuery.EARLIEST || query.timestamp() == OffsetQuery.EARLIEST_LOCAL) {
            return new OffsetQuery.Result.Found(logStartOffset, -1, leaderEpoch);
        }
        return search(query.timestamp(), end);
    }

    private OffsetQuery.Result search(long timestamp, long end) {
        OffsetQuery.Result best = new OffsetQuery.Result.Nothing();
        long newest = -1;
        for (Stored batch : batches) {
            if (batch.baseOffset >= end) {
                break;
            }
            BatchView view = new BatchView().wrap(Unpooled.wrappedBuffer(batch.bytes));
            try (RecordCursor cursor = new RecordCursor().open(view)) {
                while (cursor.next()) {
                    boolean wanted = timestamp == OffsetQuery.MAX_TIMESTAMP
                            ? cursor.timestamp() > newest
                            : cursor.timestamp() >= timestamp && best instanceof OffsetQuery.Result.Nothing;
                    if (wanted) {
                        newest = cursor.timestamp();
                        best = new OffsetQuery.Result.Found(cursor.offset(), cursor.timestamp(), batch.leaderEpoch);
                    }
                }
            }
        }
        return best;
    }

    @Override
    public EpochEndOffset endOffsetForEpoch(int epoch) {
        if (epoch == leaderEpoch) {
            return new EpochEndOffset(epoch, endOffset);
        }
        if (epoch > leaderEpoch) {
            return EpochEndOffset.UNKNOWN;
        }
        EpochEndOffset found = EpochEndOffset.UNKNOWN;
        for (Stored batch : batches) {
            if (batch.leaderEpoch <= epoch) {
                found = new EpochEndOffset(batch.leaderEpoch, batch.nextOffset);
            }
        }
        return found;
    }

    @Override
    public CompletionStage<Long> trim(long offset) {
        long start = offset < 0 ? visibleOffset() : offset;
        if (start > visibleOffset()) {
            return CompletableFuture.failedStage(new OffsetOutOfRangeException(start, logStartOffset, visibleOffset()));
        }
        logStartOffset = Math.max(logStartOffset, start);
        List.copyOf(listeners).forEach(listener -> listener.onVisible(this));
        return CompletableFuture.completedStage(logStartOffset);
    }

    @Override
    public CompletionStage<Long> seal(int epoch) {
        become(LogState.SEALED);
        return CompletableFuture.completedStage(endOffset);
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
        return durableOffset;
    }

    @Override
    public long visibleOffset() {
        return durableOffset;
    }

    @Override
    public long lastStableOffset() {
        return Math.min(lastStableOffset, visibleOffset());
    }

    @Override
    public long sizeInBytes() {
        return batches.stream().mapToLong(batch -> batch.bytes.length).sum();
    }

    @Override
    public List<ProducerSnapshot> activeProducers() {
        return List.of();
    }
}
