package io.sluice.broker.produce;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.base.id.PartitionId;
import io.sluice.broker.api.Call;
import io.sluice.broker.serving.ServedTopic;
import io.sluice.broker.transaction.TransactionTopics;
import io.sluice.coordinator.runtime.PatientVerifier;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.log.PartitionLog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    private final Map<PartitionId, Outcome> outcomes = new HashMap<>();
    private final Map<TopicPartition, Asked> asked = new HashMap<>();
    private @Nullable Errors requestError;
    private boolean producerKnown;
    private long producerId = -1;
    private short producerEpoch = -1;

    /** What a batch may be appended with, or why it may not. */
    private record Outcome(long guard, Errors error) {}

    /** A partition that the coordinator is asked about. */
    private record Asked(PartitionLog log, PartitionId id, int firstSequence) {}

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
            outcomes.put(id, new Outcome(PartitionLog.NO_GUARD, Errors.INVALID_TOPIC_EXCEPTION));
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
        note(log, id, new TopicPartition(served.image().name(), partition.index()), batch.baseSequence());
    }

    private void note(PartitionLog log, PartitionId id, TopicPartition partition, int firstSequence) {
        Asked begun = new Asked(log, id, firstSequence);
        if (begin(begun) && guard(id) != PartitionLog.NO_GUARD) {
            asked.put(partition, begun);
        }
    }

    /** Begins to verify a batch, or finds that begun; false where that speaks against it. */
    private boolean begin(Asked batch) {
        long guard = batch.log()
                .beginVerification(producerId, producerEpoch, batch.firstSequence(), version >= ADDS_FROM_VERSION);
        if (guard == PartitionLog.STALE_EPOCH) {
            outcomes.put(batch.id(), new Outcome(PartitionLog.NO_GUARD, Errors.INVALID_PRODUCER_EPOCH));
            return false;
        }
        if (guard == PartitionLog.TOO_MANY) {
            outcomes.put(batch.id(), new Outcome(PartitionLog.NO_GUARD, Errors.NOT_ENOUGH_REPLICAS));
            return false;
        }
        if (guard == PartitionLog.NO_GUARD) {
            outcomes.remove(batch.id());
        } else {
            outcomes.put(batch.id(), new Outcome(guard, Errors.NOT_COORDINATOR));
        }
        return true;
    }

    /** Begins again what a marker has ended; whether there was nothing of that kind. */
    private boolean stands() {
        boolean stands = true;
        for (Asked each : asked.values()) {
            long before = guard(each.id());
            boolean ended = begin(each) && guard(each.id()) != PartitionLog.NO_GUARD && guard(each.id()) != before;
            stands &= !ended;
        }
        return stands;
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
                this::stands);
        var unused = handler.verifier().ask(question, call.executor()).whenComplete((answers, failure) -> {
            onAnswer(answers, failure);
            then.run();
        });
    }

    private void onAnswer(@Nullable Map<TopicPartition, Errors> answers, @Nullable Throwable failure) {
        if (failure != null) {
            LOG.error("A transaction could not be verified", failure);
        }
        asked.forEach((partition, each) -> {
            Outcome begun = outcomes.get(each.id());
            if (begun == null || begun.guard() == PartitionLog.NO_GUARD) {
                return; // decided by the log meanwhile
            }
            Errors error = answers == null
                    ? Errors.UNKNOWN_SERVER_ERROR
                    : answers.getOrDefault(partition, Errors.UNKNOWN_SERVER_ERROR);
            Outcome settled = new Outcome(begun.guard(), error);
            outcomes.put(each.id(), settled);
            endIfRefused(each.id(), settled);
        });
    }

    /** What is refused for the moment is sent again, and must then come before what was sent behind it. */
    private void endIfRefused(PartitionId id, Outcome outcome) {
        PartitionLog log = handler.logs().find(id);
        if (log != null && outcome.error() != Errors.NONE && !PatientVerifier.isPassing(outcome.error())) {
            log.endVerification(producerId, outcome.guard());
        }
    }

    /** The guard to append a partition's batch with. */
    long guard(PartitionId id) {
        Outcome outcome = outcomes.get(id);
        return outcome == null ? PartitionLog.NO_GUARD : outcome.guard();
    }

    /** Why a partition's batch may not be appended, in the words of its version; NONE where it may. */
    Errors error(PartitionId id) {
        Outcome outcome = outcomes.get(id);
        return outcome == null ? Errors.NONE : outcome.error();
    }
}
