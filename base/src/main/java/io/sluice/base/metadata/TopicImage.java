package io.sluice.base.metadata;

import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import java.util.List;
import java.util.Map;

/**
 * One topic as the metadata has it.
 *
 * @param partitions in the order of their numbers, without gaps
 * @param configs only what was set on the topic, by Kafka's names
 * @param replicationFactor as asked for at creation; one node keeps one copy whatever it says
 */
public record TopicImage(
        String name, TopicId id, List<PartitionImage> partitions, Map<String, String> configs, int replicationFactor) {
    /** Copies the collections. */
    public TopicImage {
        partitions = List.copyOf(partitions);
        configs = Map.copyOf(configs);
    }

    /** The identity of one of its partitions. */
    public PartitionId partitionId(int partition) {
        return new PartitionId(id, partition);
    }

    /** Whether the number names one of its partitions. */
    public boolean hasPartition(int partition) {
        return partition >= 0 && partition < partitions.size();
    }
}
