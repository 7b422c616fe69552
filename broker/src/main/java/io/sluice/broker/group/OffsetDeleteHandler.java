package io.sluice.broker.group;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.OffsetDeleteRequest;
import org.apache.kafka.common.requests.OffsetDeleteResponse;

/** OffsetDelete (KIP-496): topics and partitions that do not exist are answered here, the rest by the coordinator. */
final class OffsetDeleteHandler implements ApiHandler<OffsetDeleteRequest> {
    private final GroupPort groups;
    private final ClusterImageSource images;

    OffsetDeleteHandler(GroupPort groups, ClusterImageSource images) {
        this.groups = groups;
        this.images = images;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.OFFSET_DELETE;
    }

    @Override
    public void handle(Call<OffsetDeleteRequest> call) {
        OffsetDeleteResponse.Builder response = new OffsetDeleteResponse.Builder();
        OffsetDeleteRequestData known = new OffsetDeleteRequestData()
                .setGroupId(call.request().data().groupId())
                .setTopics(existing(call.request().data().topics(), images.current(), response));
        GroupCalls.answer(
                call,
                groups.deleteOffsets(GroupCalls.caller(call), known),
                data -> response.merge(data).build());
    }

    private static OffsetDeleteRequestTopicCollection existing(
            OffsetDeleteRequestTopicCollection topics, ClusterImage image, OffsetDeleteResponse.Builder response) {
        OffsetDeleteRequestTopicCollection existing = new OffsetDeleteRequestTopicCollection();
        for (OffsetDeleteRequestTopic topic : topics) {
            OffsetDeleteRequestTopic known = new OffsetDeleteRequestTopic().setName(topic.name());
            TopicImage found = image.topic(topic.name());
            for (OffsetDeleteRequestPartition partition : topic.partitions()) {
                if (found != null && found.hasPartition(partition.partitionIndex())) {
                    known.partitions().add(partition);
                } else {
                    response.addPartition(topic.name(), partition.partitionIndex(), Errors.UNKNOWN_TOPIC_OR_PARTITION);
                }
            }
            if (!known.partitions().isEmpty()) {
                existing.add(known);
            }
        }
        return existing;
    }
}
