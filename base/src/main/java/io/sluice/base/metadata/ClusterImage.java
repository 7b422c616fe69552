package io.sluice.base.metadata;

import io.sluice.base.id.TopicId;
import java.util.Collection;
import java.util.Map;
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

    /** What has been set dynamically on brokers: key of the outer map is the node id as text, "" for all. */
    Map<String, Map<String, String>> brokerConfigs();

    /** What has been set dynamically on groups, by group id. */
    Map<String, Map<String, String>> groupConfigs();
}
