package io.sluice.broker.share;

import io.sluice.coordinator.share.AcquiredRange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ShareFetchResponse;

/** The answer to one ShareFetch while it is being made: only partitions that there is something to say of. For one thread. */
final class ShareFetchAnswer {
    private final Map<ShareSession.Part, PartitionData> told = new LinkedHashMap<>();

    private PartitionData of(ShareSession.Part part) {
        return told.computeIfAbsent(
                part,
                key -> new PartitionData().setPartitionIndex(key.partition()).setRecords(MemoryRecords.EMPTY));
    }

    void fail(ShareSession.Part part, Errors error) {
        of(part).setErrorCode(error.code());
    }

    void acknowledged(ShareSession.Part part, Errors error) {
        of(part).setAcknowledgeErrorCode(error.code());
    }

    void deliver(ShareSession.Part part, MemoryRecords records, List<AcquiredRange> acquired) {
        of(part).setRecords(records)
                .setAcquiredRecords(acquired.stream()
                        .map(range -> new AcquiredRecords()
                                .setFirstOffset(range.firstOffset())
                                .setLastOffset(range.lastOffset())
                                .setDeliveryCount(range.deliveryCount()))
                        .toList());
    }

    /** The answer. */
    ShareFetchResponse response(int lockMillis) {
        LinkedHashMap<TopicIdPartition, PartitionData> partitions = new LinkedHashMap<>();
        told.forEach((part, data) ->
                partitions.put(new TopicIdPartition(part.topicId(), new TopicPartition("", part.partition())), data));
        return ShareFetchResponse.of(Errors.NONE, 0, partitions, List.of(), lockMillis);
    }

    /** An answer that says only that there was an error. */
    static ShareFetchResponse error(Errors error) {
        return ShareFetchResponse.of(error, 0, new LinkedHashMap<>(), List.of(), 0);
    }
}
