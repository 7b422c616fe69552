package io.sluice.broker.simulation;

import io.netty.buffer.ByteBuf;
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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A log that forgets what it is given and always gives the same bytes: next to nothing of its own beside a handler's cost. */
public final class SinkPartitionLog implements PartitionLog {
    private final PartitionId id;
    private final LogSlice slice;
    private long endOffset;

    /** A log that serves this slice, over and over. */
    public SinkPartitionLog(PartitionId id, LogSlice slice) {
        this.id = id;
        this.slice = slice;
    }

    @Override
    public long beginVerification(long producerId, short producerEpoch, int firstSequence, boolean raisesEpoch) {
        return NO_GUARD;
    }

    @Override
    public void endVerification(long producerId, long guard) {
        // Nothing is kept of one.
    }

    @Override
    public AppendResult append(ByteBuf batch, int leaderEpoch, AppendOrigin origin, long guard) {
        long base = endOffset;
        endOffset += BatchView.HEADER_BYTES;
        return new AppendResult.Appended(base, endOffset - 1, -1);
    }

    @Override
    public void awaitDurable(long offset, DurabilityListener listener) {
        listener.onDurable(this, offset);
    }

    @Override
    public ReadHandle read(ReadRequest request, ReadListener listener) {
        listener.onRead(new ReadResult.Records(slice, 0, Long.MAX_VALUE, Long.MAX_VALUE, List.of()));
        return ReadHandle.DONE;
    }

    @Override
    public PartitionId id() {
        return id;
    }

    @Override
    public LogState state() {
        return LogState.SERVING;
    }

    @Override
    public int leaderEpoch() {
        return 0;
    }

    @Override
    public long logStartOffset() {
        return 0;
    }

    @Override
    public long endOffset() {
        return Long.MAX_VALUE;
    }

    @Override
    public long durableOffset() {
        return Long.MAX_VALUE;
    }

    @Override
    public long visibleOffset() {
        return Long.MAX_VALUE;
    }

    @Override
    public long lastStableOffset() {
        return Long.MAX_VALUE;
    }

    @Override
    public void findOffset(OffsetQuery query, Consumer<OffsetQuery.Result> listener) {
        listener.accept(new OffsetQuery.Result.Nothing());
    }

    @Override
    public EpochEndOffset endOffsetForEpoch(int leaderEpoch) {
        return EpochEndOffset.UNKNOWN;
    }

    @Override
    public CompletionStage<Long> trim(long offset) {
        return CompletableFuture.completedStage(0L);
    }

    @Override
    public CompletionStage<Long> seal(int leaderEpoch) {
        return CompletableFuture.completedStage(endOffset);
    }

    @Override
    public void addVisibilityListener(VisibilityListener listener) {}

    @Override
    public void removeVisibilityListener(VisibilityListener listener) {}

    @Override
    public long sizeInBytes() {
        return slice.sizeInBytes();
    }

    @Override
    public List<ProducerSnapshot> activeProducers() {
        return List.of();
    }
}
