package io.sluice.broker.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.base.id.PartitionId;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.ownership.Ownership;
import io.sluice.base.time.Clock;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.coordinator.group.GroupPort;
import io.sluice.coordinator.runtime.TransactionEnd;
import io.sluice.coordinator.transaction.TransactionMarkers;
import io.sluice.protocol.record.BatchBuilder;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the markers of transactions into the logs that this node serves, as Kafka's control records (KIP-98), and into groups'
 * offsets through the group coordinator. Safe on every thread.
 */
public final class LocalMarkers implements TransactionMarkers {
    private static final Logger LOG = LoggerFactory.getLogger(LocalMarkers.class);
    private static final short RAISING_VERSION = 2;
    private static final int BATCH_BYTES = 128;
    private static final short ABORT = 0;
    private static final short COMMIT = 1;
    private static final int NO_SEQUENCE = -1;

    /** Groups' offsets, by {@link GroupPort#completeTransaction}. */
    @FunctionalInterface
    public interface GroupOffsets {
        /** Ends a transaction in one partition of the offsets topic; fails with the exception of the error. */
        CompletionStage<Void> complete(int partition, TransactionEnd end);
    }

    private final ClusterImageSource images;
    private final Ownership ownership;
    private final PartitionLogStore logs;
    private final GroupOffsets offsets;
    private final ByteBufAllocator allocator;
    private final Clock clock;
    private final Executor executor;

    /**
     * Writes nothing yet.
     *
     * @param executor hears of what is durable; must not block
     */
    public LocalMarkers(
            ClusterImageSource images,
            Ownership ownership,
            PartitionLogStore logs,
            GroupOffsets offsets,
            ByteBufAllocator allocator,
            Clock clock,
            Executor executor) {
        this.images = images;
        this.ownership = ownership;
        this.logs = logs;
        this.offsets = offsets;
        this.allocator = allocator;
        this.clock = clock;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Errors> write(TransactionEnd end, TopicPartition partition) {
        TopicImage topic = images.current().topic(partition.topic());
        if (topic == null || !topic.hasPartition(partition.partition())) {
            return CompletableFuture.completedFuture(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        if (TransactionTopics.isClosed(topic.name())) {
            return CompletableFuture.completedFuture(Errors.INVALID_TOPIC_EXCEPTION);
        }
        PartitionId id = topic.partitionId(partition.partition());
        if (!ownership.isLocal(id)) {
            return CompletableFuture.completedFuture(Errors.NOT_LEADER_OR_FOLLOWER);
        }
        return partition.topic().equals(GroupPort.OFFSETS_TOPIC)
                ? completeOffsets(end, partition.partition())
                : append(end, id);
    }

    private CompletionStage<Errors> completeOffsets(TransactionEnd end, int partition) {
        return offsets.complete(partition, end)
                .handle((nothing, failure) -> failure == null ? Errors.NONE : error(failure));
    }

    private static Errors error(Throwable failure) {
        Throwable cause = AsyncAnswer.unwrap(failure);
        if (!(cause instanceof ApiException)) {
            LOG.error("A transaction's end could not be given to the group coordinator", cause);
        }
        return Errors.forException(cause);
    }

    private CompletionStage<Errors> append(TransactionEnd end, PartitionId id) {
        PartitionLog log = logs.find(id);
        if (log == null) {
            return CompletableFuture.completedFuture(Errors.NOT_LEADER_OR_FOLLOWER);
        }
        ByteBuf batch;
        try {
            batch = batch(end);
        } catch (MemoryExhaustedException e) {
            LOG.debug("No memory for a marker", e);
            return CompletableFuture.completedFuture(Errors.REQUEST_TIMED_OUT);
        }
        try {
            AppendOrigin origin =
                    end.transactionVersion() >= RAISING_VERSION ? AppendOrigin.RAISED_MARKER : AppendOrigin.MARKER;
            AppendResult result = log.append(batch, ownership.leaderEpochOf(id), origin);
            return settled(log, result);
        } finally {
            batch.release();
        }
    }

    private ByteBuf batch(TransactionEnd end) {
        byte[] key = ByteBuffer.allocate(2 * Short.BYTES)
                .putShort((short) 0)
                .putShort(end.commit() ? COMMIT : ABORT)
                .array();
        byte[] value = ByteBuffer.allocate(Short.BYTES + Integer.BYTES)
                .putShort((short) 0)
                .putInt(end.coordinatorEpoch())
                .array();
        ByteBuf out = allocator.buffer(BATCH_BYTES);
        new BatchBuilder(out, CompressionCodec.NONE)
                .producer(end.producerId(), end.producerEpoch(), NO_SEQUENCE)
                .transactional(true)
                .control(true)
                .append(clock.epochMillis(), key, value)
                .finish();
        return out;
    }

    private CompletionStage<Errors> settled(PartitionLog log, AppendResult result) {
        if (result instanceof AppendResult.Appended appended) {
            Durable durable = new Durable();
            log.awaitDurable(appended.lastOffset() + 1, durable);
            return durable.future;
        }
        AppendResult.Refusal reason = ((AppendResult.Refused) result).reason();
        return CompletableFuture.completedFuture(
                switch (reason) {
                    case FULL -> Errors.REQUEST_TIMED_OUT;
                    case STORAGE -> Errors.KAFKA_STORAGE_ERROR;
                    case DELETED -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
                    case COORDINATOR_FENCED -> Errors.TRANSACTION_COORDINATOR_FENCED;
                    case INVALID_PRODUCER_EPOCH -> Errors.INVALID_PRODUCER_EPOCH;
                    case INVALID_TRANSACTION_STATE -> Errors.INVALID_TXN_STATE;
                    case NOT_OWNER, FENCED, NOT_SERVING, OUT_OF_ORDER_SEQUENCE -> Errors.NOT_LEADER_OR_FOLLOWER;
                });
    }

    private final class Durable implements DurabilityListener {
        final CompletableFuture<Errors> future = new CompletableFuture<>();

        @Override
        public Executor executor() {
            return executor;
        }

        @Override
        public void onDurable(PartitionLog log, long offset) {
            future.complete(Errors.NONE);
        }

        @Override
        public void onUnknown(PartitionLog log, long offset, IOException cause) {
            future.complete(
                    log.state() == LogState.DELETED ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.KAFKA_STORAGE_ERROR);
        }
    }
}
