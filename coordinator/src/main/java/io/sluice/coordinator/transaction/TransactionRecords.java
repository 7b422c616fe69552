package io.sluice.coordinator.transaction;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.transaction.TransactionState;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogKey;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogValue;
import org.apache.kafka.server.common.ApiMessageAndVersion;

/**
 * States of transactional ids as records of {@code __transaction_state}, in Kafka's format (value version 1). One thing is
 * added that Kafka keeps in memory only, as a tagged field that it passes over: the last epoch, so that a producer's
 * repeated InitProducerId is known for what it is by the next coordinator too.
 */
final class TransactionRecords {
    /** Tag of the last epoch: two bytes, left out where it is -1. Far from those that Kafka counts up from 0. */
    static final int LAST_EPOCH_TAG = 21_324;

    private static final short VALUE_VERSION = 1;

    private TransactionRecords() {}

    /** What is written where the id comes to this state. */
    static CoordinatorRecord state(String transactionalId, IdState state) {
        ProducerIdentity producer = state.producer();
        TransactionLogValue value = new TransactionLogValue()
                .setProducerId(producer.id())
                .setProducerEpoch(producer.epoch())
                .setPreviousProducerId(producer.previousId())
                .setNextProducerId(producer.nextId())
                .setTransactionTimeoutMs(state.timeoutMillis())
                .setTransactionStatus(state.status().id())
                .setTransactionPartitions(partitions(state))
                .setTransactionStartTimestampMs(state.startMillis())
                .setTransactionLastUpdateTimestampMs(state.updatedMillis())
                .setClientTransactionVersion(state.clientVersion());
        if (producer.lastEpoch() != ProducerIdentity.NO_EPOCH) {
            byte[] lastEpoch = ByteBuffer.allocate(Short.BYTES)
                    .putShort(producer.lastEpoch())
                    .array();
            value.unknownTaggedFields().add(new RawTaggedField(LAST_EPOCH_TAG, lastEpoch));
        }
        return CoordinatorRecord.record(key(transactionalId), new ApiMessageAndVersion(value, VALUE_VERSION));
    }

    /** What is written where the id is forgotten. */
    static CoordinatorRecord tombstone(String transactionalId) {
        return CoordinatorRecord.tombstone(key(transactionalId));
    }

    private static TransactionLogKey key(String transactionalId) {
        return new TransactionLogKey().setTransactionalId(transactionalId);
    }

    @SuppressWarnings("NullAway") // the format has no list, rather than an empty one, in this one state
    private static List<TransactionLogValue.PartitionsSchema> partitions(IdState state) {
        if (state.status() == TransactionState.EMPTY) {
            return null;
        }
        Map<String, List<Integer>> byTopic = new TreeMap<>();
        for (TopicPartition partition : state.partitions()) {
            byTopic.computeIfAbsent(partition.topic(), topic -> new ArrayList<>())
                    .add(partition.partition());
        }
        List<TransactionLogValue.PartitionsSchema> result = new ArrayList<>();
        byTopic.forEach((topic, ids) -> result.add(
                new TransactionLogValue.PartitionsSchema().setTopic(topic).setPartitionIds(ids)));
        return result;
    }

    /** The state that a record says. */
    static IdState read(TransactionLogValue value) {
        ProducerIdentity producer = new ProducerIdentity(
                value.producerId(),
                value.producerEpoch(),
                lastEpoch(value),
                value.previousProducerId(),
                value.nextProducerId());
        return new IdState(
                producer,
                TransactionState.fromId(value.transactionStatus()),
                partitions(value),
                value.transactionTimeoutMs(),
                value.transactionStartTimestampMs(),
                value.transactionLastUpdateTimestampMs(),
                value.clientTransactionVersion());
    }

    private static short lastEpoch(TransactionLogValue value) {
        for (RawTaggedField field : value.unknownTaggedFields()) {
            if (field.tag() == LAST_EPOCH_TAG && field.size() == Short.BYTES) {
                return ByteBuffer.wrap(field.data()).getShort();
            }
        }
        return ProducerIdentity.NO_EPOCH;
    }

    private static Set<TopicPartition> partitions(TransactionLogValue value) {
        List<TransactionLogValue.PartitionsSchema> topics = value.transactionPartitions();
        if (topics == null || topics.isEmpty()) {
            return Set.of();
        }
        Set<TopicPartition> result = new HashSet<>();
        for (TransactionLogValue.PartitionsSchema topic : topics) {
            topic.partitionIds().forEach(partition -> result.add(new TopicPartition(topic.topic(), partition)));
        }
        return result;
    }
}
