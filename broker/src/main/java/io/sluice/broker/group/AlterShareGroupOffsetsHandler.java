package io.sluice.broker.group;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.coordinator.group.GroupPort;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData.AlterShareGroupOffsetsRequestTopic;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData.AlterShareGroupOffsetsRequestTopicCollection;
import org.apache.kafka.common.message.AlterShareGroupOffsetsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AlterShareGroupOffsetsRequest;
import org.apache.kafka.common.requests.AlterShareGroupOffsetsResponse;
import org.apache.kafka.common.requests.ApiError;

/** AlterShareGroupOffsets (KIP-932): topics that do not exist are answered here, the rest by the coordinator. */
final class AlterShareGroupOffsetsHandler implements ApiHandler<AlterShareGroupOffsetsRequest> {
    private final GroupPort groups;
    private final ClusterImageSource images;

    AlterShareGroupOffsetsHandler(GroupPort groups, ClusterImageSource images) {
        this.groups = groups;
        this.images = images;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.ALTER_SHARE_GROUP_OFFSETS;
    }

    @Override
    public void handle(Call<AlterShareGroupOffsetsRequest> call) {
        Map<String, Uuid> ids = new HashMap<>();
        AlterShareGroupOffsetsResponse.Builder response = new AlterShareGroupOffsetsResponse.Builder();
        AlterShareGroupOffsetsRequestData known = new AlterShareGroupOffsetsRequestData()
                .setGroupId(call.request().data().groupId())
                .setTopics(existing(call.request().data(), ids, response));
        GroupCalls.answer(
                call,
                groups.alterShareGroupOffsets(GroupCalls.caller(call), known),
                data -> answer(data, ids, response));
    }

    private static AlterShareGroupOffsetsResponse answer(
            AlterShareGroupOffsetsResponseData data,
            Map<String, Uuid> ids,
            AlterShareGroupOffsetsResponse.Builder response) {
        return data.errorCode() == Errors.NONE.code()
                ? response.merge(data, ids).build()
                : new AlterShareGroupOffsetsResponse(data);
    }

    private AlterShareGroupOffsetsRequestTopicCollection existing(
            AlterShareGroupOffsetsRequestData request,
            Map<String, Uuid> ids,
            AlterShareGroupOffsetsResponse.Builder response) {
        ClusterImage image = images.current();
        AlterShareGroupOffsetsRequestTopicCollection existing = new AlterShareGroupOffsetsRequestTopicCollection();
        for (AlterShareGroupOffsetsRequestTopic topic : request.topics()) {
            TopicImage found = image.topic(topic.topicName());
            if (found == null) {
                ApiError error = new ApiError(Errors.UNKNOWN_TOPIC_OR_PARTITION);
                topic.partitions()
                        .forEach(partition ->
                                response.addPartition(topic.topicName(), partition.partitionIndex(), ids, error));
            } else {
                ids.put(topic.topicName(), KafkaIds.toUuid(found.id()));
                existing.add(topic.duplicate());
            }
        }
        return existing;
    }
}
