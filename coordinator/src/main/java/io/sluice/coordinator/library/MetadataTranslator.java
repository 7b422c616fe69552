package io.sluice.coordinator.library;

import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.PartitionImage;
import io.sluice.base.metadata.TopicImage;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.jspecify.annotations.Nullable;

/**
 * Makes Kafka's kind of metadata image, and the difference to the one before, from ours: topics, ids and partition counts,
 * which is all that group coordination looks at. For one thread.
 */
final class MetadataTranslator {
    private final int nodeId;
    private @Nullable ClusterImage source;
    private MetadataImage image = MetadataImage.EMPTY;

    MetadataTranslator(int nodeId) {
        this.nodeId = nodeId;
    }

    /** What changed, and the image after it. */
    record Update(MetadataDelta delta, MetadataImage image) {}

    /** The step from the image given last to this one; null if no topic came, went or grew. */
    @Nullable Update advance(ClusterImage next) {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        boolean changed = removeGone(delta, next);
        for (TopicImage topic : next.topics()) {
            changed |= addOrGrow(delta, topic);
        }
        boolean first = source == null;
        source = next;
        if (!changed && !first) {
            return null;
        }
        image = delta.apply(new MetadataProvenance(next.version(), 0, 0, true));
        return new Update(delta, image);
    }

    private boolean removeGone(MetadataDelta delta, ClusterImage next) {
        boolean changed = false;
        if (source != null) {
            for (TopicImage topic : source.topics()) {
                if (next.topic(topic.id()) == null) {
                    delta.replay(new RemoveTopicRecord().setTopicId(uuid(topic.id())));
                    changed = true;
                }
            }
        }
        return changed;
    }

    private boolean addOrGrow(MetadataDelta delta, TopicImage topic) {
        TopicImage before = source == null ? null : source.topic(topic.id());
        int known = before == null ? 0 : before.partitions().size();
        if (before == null) {
            delta.replay(new TopicRecord().setName(topic.name()).setTopicId(uuid(topic.id())));
        }
        List<PartitionImage> partitions = topic.partitions();
        for (PartitionImage partition : partitions.subList(Math.min(known, partitions.size()), partitions.size())) {
            delta.replay(partitionRecord(topic.id(), partition.partition()));
        }
        return before == null || partitions.size() > known;
    }

    private PartitionRecord partitionRecord(TopicId topicId, int partition) {
        return new PartitionRecord()
                .setTopicId(uuid(topicId))
                .setPartitionId(partition)
                .setReplicas(List.of(nodeId))
                .setIsr(List.of(nodeId))
                .setLeader(nodeId);
    }

    static Uuid uuid(TopicId id) {
        return new Uuid(id.mostSignificantBits(), id.leastSignificantBits());
    }
}
