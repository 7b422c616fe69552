package io.sluice.broker.offset;

import io.sluice.base.ownership.Ownership;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.protocol.frame.Placed;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochRequest;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochResponse;

/**
 * Serves OffsetForLeaderEpoch, versions 2 to 4: where an epoch's records end, so that a consumer can see that its log was cut
 * (KIP-320). An epoch that has not begun is answered with epoch -1 and offset -1.
 */
public final class OffsetForLeaderEpochHandler implements ApiHandler<OffsetsForLeaderEpochRequest> {
    private final PartitionLookup lookup;

    /** A handler. */
    public OffsetForLeaderEpochHandler(ServedTopics topics, PartitionLogStore logs, Ownership ownership) {
        lookup = new PartitionLookup(topics, logs, ownership);
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.OFFSET_FOR_LEADER_EPOCH;
    }

    @Override
    public void handle(Call<OffsetsForLeaderEpochRequest> call) {
        OffsetForLeaderEpochResponseData response = new OffsetForLeaderEpochResponseData();
        for (OffsetForLeaderTopic topic : call.request().data().topics()) {
            OffsetForLeaderTopicResult result = new Placed.TopicEpochEnds().setTopic(topic.topic());
            for (OffsetForLeaderPartition partition : topic.partitions()) {
                result.partitions().add(find(topic.topic(), partition));
            }
            Placed.add(response.topics(), result);
        }
        call.respond(new OffsetsForLeaderEpochResponse(response));
    }

    private EpochEndOffset find(String topic, OffsetForLeaderPartition asked) {
        EpochEndOffset answer = new EpochEndOffset().setPartition(asked.partition());
        PartitionLookup.Found found = lookup.find(topic, asked.partition(), asked.currentLeaderEpoch());
        PartitionLog log = found.log();
        if (log == null) {
            return answer.setErrorCode(found.error().code());
        }
        io.sluice.storage.log.EpochEndOffset end = log.endOffsetForEpoch(asked.leaderEpoch());
        return answer.setLeaderEpoch(end.leaderEpoch()).setEndOffset(end.endOffset());
    }
}
