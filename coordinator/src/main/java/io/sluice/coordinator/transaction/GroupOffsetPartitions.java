package io.sluice.coordinator.transaction;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.coordinator.group.GroupPort;
import io.sluice.coordinator.runtime.CoordinatorLife;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Partitions of the topic that group coordination keeps, which is created with the first need. Safe on every thread. */
public final class GroupOffsetPartitions implements OffsetPartitions {
    private final GroupPort groups;
    private final ClusterImageSource images;

    /** Asks group coordination for the topic where there is none. */
    public GroupOffsetPartitions(GroupPort groups, ClusterImageSource images) {
        this.groups = groups;
        this.images = images;
    }

    @Override
    public CompletionStage<@Nullable TopicPartition> find(String groupId) {
        TopicPartition known = known(groupId);
        return known != null
                ? CompletableFuture.completedFuture(known)
                : groups.locate(groupId).thenApply(location -> known(groupId));
    }

    private @Nullable TopicPartition known(String groupId) {
        TopicImage topic = images.current().topic(GroupPort.OFFSETS_TOPIC);
        return topic == null
                ? null
                : new TopicPartition(
                        topic.name(),
                        CoordinatorLife.partitionOf(groupId, topic.partitions().size()));
    }
}
