package io.sluice.base.metadata;

import io.sluice.base.id.TopicId;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The whole metadata at one moment, immutable: readers take the current image once per request and never see half a
 * change.
 */
public interface ClusterImage {
    /** Grows with every change. */
    long version();

    /** The cluster's id, 22 characters. */
    String clusterId();

    /** Topic by name. */
    @Nullable TopicImage topic(String name);

    /** Topic by id. */
    @Nullable TopicImage topic(TopicId id);

    /** All topics, in no order. */
    Collection<TopicImage> topics();

    /** Partitions of all topics together. */
    default int partitionCount() {
        return topics().stream().mapToInt(topic -> topic.partitions().size()).sum();
    }

    /**
     * The topics that were created, changed or deleted since an earlier image, by id; a topic deleted and created again
     * counts twice. Cheap where the earlier image is the one just before this one, as listeners get it.
     */
    default Set<TopicId> topicsChangedSince(ClusterImage earlier) {
        Set<TopicId> changed = new HashSet<>();
        for (TopicImage topic : topics()) {
            if (!topic.equals(earlier.topic(topic.id()))) {
                changed.add(topic.id());
            }
        }
        for (TopicImage topic : earlier.topics()) {
            if (topic(topic.id()) == null) {
                changed.add(topic.id());
            }
        }
        return changed;
    }

    /** What has been set dynamically on brokers: key of the outer map is the node id as text, "" for all. */
    Map<String, Map<String, String>> brokerConfigs();

    /** What has been set dynamically on groups, by group id. */
    Map<String, Map<String, String>> groupConfigs();

    /** What clients are asked to push of their own metrics (KIP-714): settings of each subscription, by its name. */
    Map<String, Map<String, String>> clientMetricsConfigs();
}
