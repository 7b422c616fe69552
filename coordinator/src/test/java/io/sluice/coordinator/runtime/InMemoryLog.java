package io.sluice.coordinator.runtime;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.base.id.PartitionId;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.EpochEndOffset;
import io.sluice.storage.log.LogSlice;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.OffsetQuery;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ProducerSnapshot;
import io.sluice.storage.log.ReadHandle;
import io.sluice.storage.log.ReadListener;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.VisibilityListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A log in memory whose durability can be held back, and which can be made to recover, refuse, fail or be damaged. Appends
 * become durable, and reads are answered, on an executor: at once, or later on a thread of its own, as where the storage is
 * far away.
 */
public final class InMemoryLog implements PartitionLog {
    private final List<Long> guards = new ArrayList<>();
    private long verification = NO_GUARD;
    private static final int LEADER_EPOCH_POSITION = 12;
    private static final int LAST_OFFSET_DELTA_POSITION = 23;

    private final Executor storage;
    private final PartitionId id;
    private final TreeMap<Long, ByteBuf> batches = new TreeMap<>();
    private final List<VisibilityListener> listeners = new CopyOnWriteArrayList<>();
    private final int leaderEpoch;
    private LogState state = LogState.SERVING;
    private AppendResult.@Nullable Refused refusal;
    private long endOffset;
    private long visibleOffset;
    private boolean held;
    private boolean damaged;
    private boolean defective;
    private int failingReads;
    private boolean missing;

    InMemoryLog(PartitionId id, int leaderEpoch, Executor storage) {
        this.storage = storage;
        this.id = id;
        this.leaderEpoch = leaderEpoch;
    }

    /** The same records under a higher epoch, as after a restart; what was not durable is gone. */
    public synchronized InMemoryLog restarted() {
        InMemoryLog next = new InMemoryLog(id, leaderEpoch + 1, storage);
        next.batches.putAll(batches.headMap(visibleOffset));
        next.endOffset = visibleOffset;
        next.visibleOffset = visibleOffset;
        return next;
    }

    public synchronized void hold() {
        held = true;
    }

    public void release() {
        synchronized (this) {
            held = false;
            visibleOffset = endOffset;
        }
        listeners.forEach(listener -> listener.onVisible(this));
    }

    public void become(LogState next) {
        synchronized (this) {
            state = next;
        }
        listeners.forEach(listener -> listener.onStateChange(this));
    }

    public synchronized void refuse(AppendResult.@Nullable Refused next) {
        refusal = next;
    }

    public synchronized void damage() {
        damaged = true;
    }

    /** Reads throw. */
    public synchronized void breakReads() {
        defective = true;
    }

    /** How many listen to what becomes visible. */
    public int listeners() {
        return listeners.size();
    }

    /** Its records are found missing by each read. */
    public synchronized void loseRecords() {
        missing = true;
    }

    public synchronized void failReads(int times) {
        failingReads = times;
    }

    /** Drops a batch's records as the cleaner might, keeping the offsets. */
    public synchronized void clean(long fromOffset) {
        batches.tailMap(fromOffset).clear();
    }

    public synchronized int batchCount() {
        return batches.size();
    }

    /** What questions for a verification are answered with; the guards of appends are kept and not looked at. */
    public synchronized void setVerification(long answer) {
        verification = answer;
    }

    /** With which guards batches were appended, oldest first. */
    public synchronized List<Long> guards() {
        return List.copyOf(guards);
    }

    @Override
    public synchronized long beginVerification(
            long producerId, short producerEpoch, int firstSequence, boolean raisesEpoch) {
        return verification;
    }

    @Override
    public void endVerification(long producerId, long guard) {
        // Nothing is kept of one.
    }

    @Override
    public AppendResult append(ByteBuf batch, int epoch, AppendOrigin origin, long guard) {
        long base;
        long last;
        synchronized (this) {
            guards.add(guard);
            if (refusal != null) {
                return refusal;
            }
            if (state != LogState.SERVING || epoch != leaderEpoch) {
                return new AppendResult.Refused(AppendResult.Refusal.FENCED, state + " under epoch " + leaderEpoch);
            }
            ByteBuf copy = Unpooled.copiedBuffer(batch);
            base = endOffset;
            last = base + copy.getInt(LAST_OFFSET_DELTA_POSITION);
            copy.setLong(0, base).setInt(LEADER_EPOCH_POSITION, epoch);
            batches.put(base, copy);
            endOffset = last + 1;
        }
        storage.execute(() -> confirm(last + 1));
        return new AppendResult.Appended(base, last, -1);
    }

    private void confirm(long durable) {
        synchronized (this) {
            if (!held) {
                visibleOffset = Math.max(visibleOffset, durable);
            }
        }
        listeners.forEach(listener -> listener.onVisible(this));
    }

    @Override
    public ReadHandle read(ReadRequest request, ReadListener listener) {
        requireWhole();
        AtomicBoolean over = new AtomicBoolean();
        storage.execute(() -> {
            ReadResult result = result(request);
            if (over.compareAndSet(false, true)) {
                listener.onRead(result);
            }
        });
        return () -> over.compareAndSet(false, true);
    }

    private synchronized void requireWhole() {
        if (defective) {
            throw new IllegalStateException("a defect in reading");
        }
    }

    private synchronized ReadResult result(ReadRequest request) {
        if (failingReads > 0) {
            failingReads--;
            return new ReadResult.Failed("busy");
        }
        if (missing) {
            return new ReadResult.Failed("offsets 0 to 9 are missing", true);
        }
        if (damaged) {
            return new ReadResult.Corrupt("00000000000000000000.log", 0, request.offset());
        }
        Map.Entry<Long, ByteBuf> entry = batches.ceilingEntry(request.offset());
        Map.Entry<Long, ByteBuf> floor = batches.floorEntry(request.offset());
        if (floor != null && floor.getKey() + floor.getValue().getInt(LAST_OFFSET_DELTA_POSITION) >= request.offset()) {
            entry = floor;
        }
        List<LogSlice.Piece> pieces = entry == null
                ? List.of()
                : List.of(new LogSlice.Piece.Memory(entry.getValue().duplicate()));
        return new ReadResult.Records(new MemorySlice(pieces), 0, visibleOffset, visibleOffset, List.of());
    }

    private record MemorySlice(List<LogSlice.Piece> pieces) implements LogSlice {
        @Override
        public int sizeInBytes() {
            return pieces.stream()
                    .mapToInt(piece -> ((LogSlice.Piece.Memory) piece).bytes().readableBytes())
                    .sum();
        }

        @Override
        public long recordCount() {
            return pieces.stream()
                    .mapToLong(piece -> new BatchView()
                            .wrap(((LogSlice.Piece.Memory) piece).bytes())
                            .recordCount())
                    .sum();
        }

        @Override
        public void release() {}
    }

    @Override
    public PartitionId id() {
        return id;
    }

    @Override
    public synchronized LogState state() {
        return state;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public long logStartOffset() {
        return 0;
    }

    @Override
    public synchronized long endOffset() {
        return endOffset;
    }

    @Override
    public synchronized long durableOffset() {
        return visibleOffset;
    }

    @Override
    public synchronized long visibleOffset() {
        return visibleOffset;
    }

    @Override
    public synchronized long lastStableOffset() {
        return visibleOffset;
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
    public void awaitDurable(long offset, DurabilityListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void findOffset(OffsetQuery query, Consumer<OffsetQuery.Result> listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public EpochEndOffset endOffsetForEpoch(int epoch) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Long> trim(long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Long> seal(int epoch) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized long sizeInBytes() {
        return batches.values().stream().mapToLong(ByteBuf::readableBytes).sum();
    }

    @Override
    public List<ProducerSnapshot> activeProducers() {
        return new ArrayList<>();
    }
}
