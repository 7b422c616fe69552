package io.sluice.coordinator.library;

import io.sluice.base.id.PartitionId;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.server.util.PartitionMetadataClient;

/** Where logs end, for the lag of share groups: the visible offset, as a consumer would see it. Safe on every thread. */
record LogEndOffsets(ClusterImageSource images, PartitionLogStore logs) implements PartitionMetadataClient {
    private static final long NO_OFFSET = -1;

    @Override
    public Map<TopicPartition, CompletableFuture<OffsetResponse>> listLatestOffsets(Set<TopicPartition> partitions) {
        Map<TopicPartition, CompletableFuture<OffsetResponse>> answers = new HashMap<>();
        partitions.forEach(partition -> answers.put(partition, CompletableFuture.completedFuture(find(partition))));
        return answers;
    }

    private OffsetResponse find(TopicPartition partition) {
        TopicImage topic = images.current().topic(partition.topic());
        if (topic == null || !topic.hasPartition(partition.partition())) {
            return new OffsetResponse(NO_OFFSET, Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        PartitionLog log = logs.find(new PartitionId(topic.id(), partition.partition()));
        return log == null
                ? new OffsetResponse(NO_OFFSET, Errors.NOT_LEADER_OR_FOLLOWER)
                : new OffsetResponse(log.visibleOffset(), Errors.NONE);
    }

    @Override
    public void close() {}
}
