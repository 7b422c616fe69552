package io.sluice.broker.group;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.coordinator.group.GroupPort;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.jspecify.annotations.Nullable;

/**
 * OffsetCommit, by topic name up to version 9 and by topic id since (KIP-848). Topics and partitions that do not exist are
 * answered here, the rest is the coordinator's, which answers when the commit is durable.
 */
final class OffsetCommitHandler implements ApiHandler<OffsetCommitRequest> {
    private final GroupPort groups;
    private final ClusterImageSource images;

    OffsetCommitHandler(GroupPort groups, ClusterImageSource images) {
        this.groups = groups;
        this.images = images;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.OFFSET_COMMIT;
    }

    @Override
    public void handle(Call<OffsetCommitRequest> call) {
        OffsetCommitRequestData request = call.request().data();
        boolean byId = OffsetCommitResponse.useTopicIds(call.header().apiVersion());
        OffsetCommitResponse.Builder response = OffsetCommitResponse.newBuilder(byId);
        List<OffsetCommitRequestTopic> existing =
                existing(request.topics(), new TopicNames(images.current(), byId), response);
        if (existing.isEmpty()) {
            call.respond(response.build());
            return;
        }
        OffsetCommitRequestData known = new OffsetCommitRequestData()
                .setGroupId(request.groupId())
                .setMemberId(request.memberId())
                .setGenerationIdOrMemberEpoch(request.generationIdOrMemberEpoch())
                .setRetentionTimeMs(request.retentionTimeMs())
                .setGroupInstanceId(request.groupInstanceId())
                .setTopics(existing);
        GroupCalls.answer(
                call,
                groups.commitOffsets(GroupCalls.caller(call), known),
                data -> response.merge(data).build());
    }

    private static List<OffsetCommitRequestTopic> existing(
            List<OffsetCommitRequestTopic> topics, TopicNames names, OffsetCommitResponse.Builder response) {
        List<OffsetCommitRequestTopic> existing = new ArrayList<>(topics.size());
        for (OffsetCommitRequestTopic topic : topics) {
            TopicImage image = names.find(topic.name(), topic.topicId());
            if (image == null) {
                Errors error = names.byId() ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
                response.addPartitions(
                        topic.topicId(),
                        topic.name(),
                        topic.partitions(),
                        OffsetCommitRequestPartition::partitionIndex,
                        error);
            } else {
                addIfAny(existing, existingPartitions(topic, image, response));
            }
        }
        return existing;
    }

    private static @Nullable OffsetCommitRequestTopic existingPartitions(
            OffsetCommitRequestTopic topic, TopicImage image, OffsetCommitResponse.Builder response) {
        OffsetCommitRequestTopic existing = new OffsetCommitRequestTopic()
                .setTopicId(KafkaIds.toUuid(image.id()))
                .setName(image.name());
        for (OffsetCommitRequestPartition partition : topic.partitions()) {
            if (image.hasPartition(partition.partitionIndex())) {
                existing.partitions().add(partition);
            } else {
                response.addPartition(
                        existing.topicId(),
                        existing.name(),
                        partition.partitionIndex(),
                        Errors.UNKNOWN_TOPIC_OR_PARTITION);
            }
        }
        return existing.partitions().isEmpty() ? null : existing;
    }

    private static void addIfAny(List<OffsetCommitRequestTopic> topics, @Nullable OffsetCommitRequestTopic topic) {
        if (topic != null) {
            topics.add(topic);
        }
    }
}
