package io.sluice.broker.produce;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.base.id.PartitionId;
import io.sluice.broker.api.Call;
import io.sluice.broker.serving.ServedTopic;
import io.sluice.broker.transaction.TransactionTopics;
import io.sluice.coordinator.runtime.PatientVerifier;
import io.sluice.coordinator.runtime.Verification;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.log.PartitionLog;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ProduceRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the transaction's coordinator about those batches of one request that begin a transaction in their partition, before
 * any is appended: are they part of one (KIP-890)? From version 12 on the partitions become part of it by that. One question
 * for all partitions. Lives on the connection's event loop.
 */
final class TransactionCheck {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionCheck.class);

    /** From this version of Produce on the broker adds the partitions, and each end raises the producer's epoch. */
    private static final short ADDS_FROM_VERSION = 12;

    /** From this version on clients know TRANSACTION_ABORTABLE. */
    private static final short ABORTABLE_FROM_VERSION = 11;

    private final ProduceHandler handler;
    private final Call<ProduceRequest> call;
    private final short version;
    private final String transactionalId;
    private final Map<PartitionId, Verification> verifications = new HashMap<>();
    private final Map<TopicPartition, Verification> asked = new HashMap<>();
    private final Set<PartitionId> closed = new HashSet<>();
    private @Nullable Errors requestError;
    private boolean producerKnown;
    private long producerId = -1;
    private short producerEpoch = -1;

    private TransactionCheck(ProduceHandler handler, Call<ProduceRequest> call, @Nullable String transactionalId) {
        this.handler = handler;
        this.call = call;
        this.version = call.header().apiVersion();
        this.transactionalId = transactionalId == null ? "" : transactionalId;
    }

    /** The check of a request, begun; null where it has no transactional batch. */
    static @Nullable TransactionCheck of(ProduceHandler handler, Call<ProduceRequest> call) {
        ProduceRequestData data = call.request().data();
        TransactionCheck check = null;
        for (TopicProduceData topic : data.topicData()) {
            for (PartitionProduceData partition : topic.partitionData()) {
                if (isTransactional(partition)) {
                    check = check == null ? new TransactionCheck(handler, call, data.transactionalId()) : check;
                    check.begin(topic, partition);
                }
            }
        }
        return check;
    }

    private static boolean isTransactional(PartitionProduceData partition) {
        return partition.records() instanceof MemoryRecords records && BatchView.isTransactionalData(records.buffer());
    }

    private void begin(TopicProduceData topic, PartitionProduceData partition) {
        if (transactionalId.isEmpty()) {
            requestError = Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
            return;
        }
        ServedTopic served = handler.resolve(topic, version);
        PartitionId id = served == null ? null : served.partition(partition.index());
        PartitionLog log = id == null || !handler.ownership().isLocal(id)
                ? null
                : handler.logs().find(id);
        if (served == null || id == null || log == null) {
            return; // answered when its turn comes
        }
        if (TransactionTopics.isClosed(served.image().name())) {
            closed.add(id);
            return;
        }
        ByteBuf bytes = Unpooled.wrappedBuffer(((MemoryRecords) partition.records()).buffer());
        BatchView batch = new BatchView().wrap(bytes);
        if (batch.producerId() < 0 || batch.baseSequence() < 0) {
            return; // refused when its turn comes
        }
        if (!producerKnown) {
            producerKnown = true;
            producerId = batch.producerId();
            producerEpoch = batch.producerEpoch();
        } else if (producerId != batch.producerId() || producerEpoch != batch.producerEpoch()) {
            requestError = Errors.INVALID_PRODUCER_ID_MAPPING;
            return;
        }
        Verification verification =
                new Verification(log, producerId, producerEpoch, batch.baseSequence(), version >= ADDS_FROM_VERSION);
        verifications.put(id, verification);
        if (verification.isOpen()) {
            asked.put(new TopicPartition(served.image().name(), partition.index()), verification);
        }
    }

    /** Begins again what a marker has ended; whether there was anything of that kind. */
    private boolean beginAnew() {
        boolean any = false;
        for (Verification each : asked.values()) {
            any |= each.beginAnew();
        }
        return any;
    }

    /** What speaks against the whole request, or null. */
    @Nullable Errors requestError() {
        return requestError;
    }

    /** Whether the coordinator has to be asked. */
    boolean isNeeded() {
        return requestError == null && !asked.isEmpty();
    }

    /** Asks; {@code then} runs on the event loop when there is an answer. */
    void run(Runnable then) {
        PatientVerifier.Question question = new PatientVerifier.Question(
                transactionalId,
                producerId,
                producerEpoch,
                List.copyOf(asked.keySet()),
                version >= ABORTABLE_FROM_VERSION,
                version >= ADDS_FROM_VERSION,
                this::beginAnew);
        var unused = handler.verifier().ask(question, call.executor()).whenComplete((answers, failure) -> {
            onAnswer(answers, failure);
            then.run();
        });
    }

    private void onAnswer(@Nullable Map<TopicPartition, Errors> answers, @Nullable Throwable failure) {
        if (failure != null) {
            LOG.error("A transaction could not be verified", failure);
        }
        Map<TopicPartition, Errors> errors = answers == null ? Map.of() : answers;
        asked.forEach((partition, verification) ->
                verification.settle(errors.getOrDefault(partition, Errors.UNKNOWN_SERVER_ERROR)));
    }

    /** The guard to append a partition's batch with. */
    long guard(PartitionId id) {
        Verification verification = verifications.get(id);
        return verification == null ? PartitionLog.NO_GUARD : verification.guard();
    }

    /** Why a partition's batch may not be appended, in the words of its version; NONE where it may. */
    Errors error(PartitionId id) {
        if (closed.contains(id)) {
            return Errors.INVALID_TOPIC_EXCEPTION;
        }
        Verification verification = verifications.get(id);
        return verification == null ? Errors.NONE : verification.error();
    }
}
