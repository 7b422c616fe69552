package io.sluice.coordinator.runtime;

import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.TopicImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
 * which is all that coordinators look at. For one thread.
 */
public final class MetadataTranslator {
    private final int nodeId;
    private @Nullable ClusterImage source;
    private MetadataImage image = MetadataImage.EMPTY;

    /** Knows no image yet; every partition it tells of is led by this node. */
    public MetadataTranslator(int nodeId) {
        this.nodeId = nodeId;
    }

    /** What changed, and the image after it. */
    public record Update(MetadataDelta delta, MetadataImage image) {}

    /** The step from the image given last to this one; null if no topic came, went or grew. */
    @Nullable Update advance(ClusterImage next) {
        ClusterImage previous = source;
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        boolean changed = previous == null ? addAll(delta, next) : addChanges(delta, previous, next);
        source = next;
        if (!changed) {
            return null;
        }
        image = delta.apply(new MetadataProvenance(next.version(), 0, 0, true));
        return new Update(delta, image);
    }

    /** A step that deletes topics which the image given last does not have any more. */
    Update deletionOf(List<CommittedTopic> topics) {
        MetadataDelta creation =
                new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build();
        List<Uuid> ids = new ArrayList<>(topics.size());
        for (CommittedTopic topic : topics) {
            Uuid id = topic.id().equals(Uuid.ZERO_UUID) ? new Uuid(Long.MIN_VALUE, ids.size()) : topic.id();
            ids.add(id);
            creation.replay(new TopicRecord().setName(topic.name()).setTopicId(id));
        }
        MetadataDelta deletion = new MetadataDelta.Builder()
                .setImage(creation.apply(image.provenance()))
                .build();
        ids.forEach(id -> deletion.replay(new RemoveTopicRecord().setTopicId(id)));
        return new Update(deletion, image);
    }

    private boolean addAll(MetadataDelta delta, ClusterImage next) {
        next.topics().forEach(topic -> addOrGrow(delta, null, topic));
        return true;
    }

    /** Deletions go first, because a name may be back under another id. */
    private boolean addChanges(MetadataDelta delta, ClusterImage previous, ClusterImage next) {
        Set<TopicId> ids = next.topicsChangedSince(previous);
        boolean changed = false;
        for (TopicId id : ids) {
            if (next.topic(id) == null && previous.topic(id) != null) {
                delta.replay(new RemoveTopicRecord().setTopicId(uuid(id)));
                changed = true;
            }
        }
        for (TopicId id : ids) {
            TopicImage topic = next.topic(id);
            changed |= topic != null && addOrGrow(delta, previous.topic(id), topic);
        }
        return changed;
    }

    private boolean addOrGrow(MetadataDelta delta, @Nullable TopicImage before, TopicImage topic) {
        int known = before == null ? 0 : before.partitions().size();
        if (before == null) {
            delta.replay(new TopicRecord().setName(topic.name()).setTopicId(uuid(topic.id())));
        }
        int count = topic.partitions().size();
        for (int partition = known; partition < count; partition++) {
            delta.replay(partitionRecord(topic.id(), partition));
        }
        return before == null || count > known;
    }

    private PartitionRecord partitionRecord(TopicId topicId, int partition) {
        return new PartitionRecord()
                .setTopicId(uuid(topicId))
                .setPartitionId(partition)
                .setReplicas(List.of(nodeId))
                .setIsr(List.of(nodeId))
                .setLeader(nodeId);
    }

    /** Kafka's form of an id. */
    public static Uuid uuid(TopicId id) {
        return new Uuid(id.mostSignificantBits(), id.leastSignificantBits());
    }
}
