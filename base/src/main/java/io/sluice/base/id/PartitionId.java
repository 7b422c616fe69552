package io.sluice.base.id;

/**
 * One partition of one incarnation of a topic.
 *
 * @param topicId the topic's id, so that a topic created again under an old name is another partition
 * @param partition number inside the topic, from 0
 */
public record PartitionId(TopicId topicId, int partition) {
    @Override
    public String toString() {
        return topicId + "-" + partition;
    }
}
