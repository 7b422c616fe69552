package io.sluice.coordinator.runtime;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.base.time.Clock;
import io.sluice.base.time.OncePerInterval;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.VisibilityListener;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionCoordinatorFencedException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the library appends: our log of a coordinator's topic. An append gives the batch its place at once; the library holds
 * its answers back until it hears, as a high watermark, that the log's visible offset has passed them, and that is never
 * above the durable offset.
 *
 * <p>Nothing here waits, since all of a coordinator's state shares the thread that appends. The journal keeps room for coordinators; where that
 * is full as well the client is told to try again, and the node's log why.
 *
 * <p>Safe on every thread. Appends of one partition come one at a time, from the library's event thread.
 */
public final class LogPartitionWriter implements PartitionWriter {
    /** From this version of TxnOffsetCommit on the broker adds the partition to the transaction. */
    private static final int ADDS_FROM_VERSION = 5;

    /** From this version of TxnOffsetCommit on clients know TRANSACTION_ABORTABLE. */
    private static final int ABORTABLE_FROM_VERSION = 4;

    /** From this version of transactions on each end raises the producer's epoch (KIP-890). */
    private static final short RAISING_VERSION = 2;

    private static final int NO_SEQUENCE = -1;

    private static final Logger LOG = LoggerFactory.getLogger(LogPartitionWriter.class);

    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final StateTopic topic;
    private final ByteBufAllocator allocator;
    private final BatchLimit limit;
    private final IntConsumer onLogLost;
    private final PatientVerifier verifier;
    private final Clock clock;
    private final OncePerInterval lines;

    /** The library keeps a guard until its append; what it dropped goes by itself. */
    private final Map<VerificationGuard, Long> guards = Collections.synchronizedMap(new WeakHashMap<>());

    private final Map<PartitionWriter.Listener, Registration> registrations = new ConcurrentHashMap<>();

    /**
     * A writer for one incarnation of the topic.
     *
     * @param limit the largest batch the topic takes
     * @param verifier says what belongs to a transaction
     * @param clock bounds what is logged
     * @param onLogLost hears, on the engine's thread, of a partition whose log takes no more appends
     */
    public LogPartitionWriter(
            StateTopic topic,
            ByteBufAllocator allocator,
            BatchLimit limit,
            PatientVerifier verifier,
            Clock clock,
            IntConsumer onLogLost) {
        this.topic = topic;
        this.allocator = allocator;
        this.limit = limit;
        this.verifier = verifier;
        this.clock = clock;
        this.lines = new OncePerInterval(LINE_NANOS, clock.nanoTime());
        this.onLogLost = onLogLost;
    }

    @Override
    public void registerListener(TopicPartition partition, Listener listener) {
        PartitionLog log = requireLog(partition);
        Registration registration = new Registration(partition, log, listener);
        registrations.put(listener, registration);
        log.addVisibilityListener(registration);
        // What became visible between the end of loading and now would otherwise be heard of with the next write only.
        registration.onVisible(log);
    }

    @Override
    public void deregisterListener(TopicPartition partition, Listener listener) {
        Registration registration = registrations.remove(listener);
        if (registration != null) {
            registration.log.removeVisibilityListener(registration);
        }
    }

    /** Asked at each batch: what was set a moment ago holds for the next one. */
    @Override
    public LogConfig config(TopicPartition partition) {
        return limit.current();
    }

    @Override
    public long append(
            TopicPartition partition, VerificationGuard guard, MemoryRecords batch, short transactionVersion) {
        PartitionLog log = requireLog(partition);
        requireFits(partition, batch);
        AppendOrigin origin = origin(batch, transactionVersion);
        long logGuard = guards.getOrDefault(guard, PartitionLog.NO_GUARD);
        ByteBuf copy = copy(partition, batch);
        try {
            AppendResult result = log.append(copy, topic.leaderEpoch(partition.partition()), origin, logGuard);
            return lastOffset(partition, result) + 1;
        } finally {
            copy.release();
        }
    }

    private static AppendOrigin origin(MemoryRecords batch, short transactionVersion) {
        if (!batch.batches().iterator().next().isControlBatch()) {
            return AppendOrigin.COORDINATOR;
        }
        return transactionVersion >= RAISING_VERSION ? AppendOrigin.RAISED_MARKER : AppendOrigin.MARKER;
    }

    /** The library splits what may be split, and leaves it to the log to refuse what is too large nevertheless. */
    private void requireFits(TopicPartition partition, MemoryRecords batch) {
        int allowed = limit.current().maxMessageSize();
        if (batch.sizeInBytes() > allowed) {
            throw new RecordTooLargeException(partition + ": what is to be written together has " + batch.sizeInBytes()
                    + " bytes, and max.message.bytes of the topic is " + allowed + "; raise it");
        }
    }

    /** The library reuses its buffer as soon as the append returns, and a log may keep a reference: so it gets a copy. */
    private ByteBuf copy(TopicPartition partition, MemoryRecords batch) {
        ByteBuffer bytes = batch.buffer();
        try {
            return allocator.buffer(bytes.remaining()).writeBytes(bytes);
        } catch (MemoryExhaustedException e) {
            // Clients try again after this one; what the library does not know is the end of a consumer.
            logRefusal(partition, e.getMessage());
            throw new TimeoutException(partition + ": no memory for the append", e);
        }
    }

    /** The library's own line of this, at each try, is left out. */
    private void logRefusal(TopicPartition partition, @Nullable String reason) {
        long left = lines.permit(clock.nanoTime());
        if (left != OncePerInterval.KEPT_BACK) {
            LOG.atWarn()
                    .setMessage("A coordinator cannot append, and its clients try again")
                    .addKeyValue("partition", partition)
                    .addKeyValue("reason", reason)
                    .addKeyValue("alsoSinceLastLine", left)
                    .log();
        }
    }

    private long lastOffset(TopicPartition partition, AppendResult result) {
        if (result instanceof AppendResult.Appended appended) {
            return appended.lastOffset();
        }
        if (result instanceof AppendResult.Duplicate duplicate) {
            return duplicate.lastOffset();
        }
        AppendResult.Refused refused = (AppendResult.Refused) result;
        if (refused.reason() == AppendResult.Refusal.FULL || refused.reason() == AppendResult.Refusal.STORAGE) {
            logRefusal(partition, refused.detail());
        }
        throw refusal(partition, refused);
    }

    /**
     * The library turns these into NOT_COORDINATOR, or COORDINATOR_NOT_AVAILABLE where waiting helps. What speaks against the producer
     * or its coordinator it hands on as it is: so whoever writes markers can tell those refusals apart.
     */
    private static KafkaException refusal(TopicPartition partition, AppendResult.Refused refused) {
        String text = partition + ": " + refused.detail();
        return switch (refused.reason()) {
            case FULL -> new TimeoutException(text);
            case STORAGE -> new KafkaStorageException(text);
            case NOT_OWNER, FENCED, NOT_SERVING, DELETED -> new NotLeaderOrFollowerException(text);
            case OUT_OF_ORDER_SEQUENCE, INVALID_PRODUCER_EPOCH -> new InvalidProducerEpochException(text);
            case INVALID_TRANSACTION_STATE -> new InvalidTxnStateException(text);
            case COORDINATOR_FENCED -> new TransactionCoordinatorFencedException(text);
        };
    }

    /**
     * Before offsets are committed in a transaction. The guard that the library hands on stands for the log's; the log's is
     * forgotten with it.
     */
    @Override
    public CompletableFuture<VerificationGuard> maybeStartTransactionVerification(
            TopicPartition partition, String transactionalId, long producerId, short producerEpoch, int apiVersion) {
        boolean adds = apiVersion >= ADDS_FROM_VERSION;
        PartitionLog log = topic.log(partition);
        if (log == null) {
            return CompletableFuture.failedFuture(
                    new NotLeaderOrFollowerException(partition + " is not open on this node"));
        }
        Verification verification = new Verification(log, producerId, producerEpoch, NO_SEQUENCE, adds);
        if (!verification.isOpen()) {
            return verification.error() == Errors.NONE
                    ? CompletableFuture.completedFuture(VerificationGuard.SENTINEL)
                    : CompletableFuture.failedFuture(verification.error().exception());
        }
        PatientVerifier.Question question = new PatientVerifier.Question(
                transactionalId,
                producerId,
                producerEpoch,
                List.of(partition),
                apiVersion >= ABORTABLE_FROM_VERSION,
                adds,
                verification);
        return verifier.ask(question)
                .thenApply(errors -> {
                    verification.settle(errors.getOrDefault(partition, Errors.UNKNOWN_SERVER_ERROR));
                    return guard(verification);
                })
                .toCompletableFuture();
    }

    private VerificationGuard guard(Verification verification) {
        if (verification.error() != Errors.NONE) {
            throw verification.error().exception();
        }
        if (verification.guard() == PartitionLog.NO_GUARD) {
            return VerificationGuard.SENTINEL;
        }
        VerificationGuard guard = new VerificationGuard();
        guards.put(guard, verification.guard());
        return guard;
    }

    @Override
    public CompletableFuture<Void> deleteRecords(TopicPartition partition, long beforeOffset) {
        return requireLog(partition).trim(beforeOffset).toCompletableFuture().thenAccept(offset -> {});
    }

    /** Lets go of every log. */
    public void close() {
        registrations.values().forEach(registration -> registration.log.removeVisibilityListener(registration));
        registrations.clear();
    }

    private PartitionLog requireLog(TopicPartition partition) {
        PartitionLog log = topic.log(partition);
        if (log == null) {
            throw new NotLeaderOrFollowerException(partition + " is not open on this node");
        }
        return log;
    }

    /** Passes visible offsets on, growing only: several threads may report, and the library fails on a step back. */
    private final class Registration implements VisibilityListener {
        private final TopicPartition partition;
        private final PartitionLog log;
        private final Listener listener;
        private long reported = -1;

        Registration(TopicPartition partition, PartitionLog log, Listener listener) {
            this.partition = partition;
            this.log = log;
            this.listener = listener;
        }

        @Override
        public synchronized void onVisible(PartitionLog changed) {
            long visible = log.visibleOffset();
            if (visible > reported) {
                reported = visible;
                listener.onHighWatermarkUpdated(partition, visible);
            }
        }

        @Override
        public void onStateChange(PartitionLog changed) {
            LogState state = changed.state();
            if (state == LogState.FAILED || state == LogState.SEALED || state == LogState.DELETED) {
                onLogLost.accept(partition.partition());
            }
        }
    }
}
