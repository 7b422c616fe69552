package io.sluice.storage.metadata;

import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.TopicImage;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/**
 * The image derived from the store. A new one shares everything that did not change with the one before, so a change costs
 * the same with ten topics and with ten thousand.
 */
final class StoredClusterImage implements ClusterImage {
    private final long version;
    private final String clusterId;
    private final PMap<String, TopicImage> byName;
    private final PMap<TopicId, TopicImage> byId;
    private final PMap<String, Map<String, String>> brokerConfigs;
    private final PMap<String, Map<String, String>> groupConfigs;
    private final PMap<String, Map<String, String>> clientMetricsConfigs;
    private final int partitionCount;
    private final Set<TopicId> changedTopics;

    private StoredClusterImage(Builder builder, StoredClusterImage previous) {
        version = previous.version + 1;
        clusterId = previous.clusterId;
        byName = builder.byName;
        byId = builder.byId;
        brokerConfigs = builder.brokerConfigs;
        groupConfigs = builder.groupConfigs;
        clientMetricsConfigs = builder.clientMetricsConfigs;
        partitionCount = builder.partitionCount;
        changedTopics = Set.copyOf(builder.changedTopics);
    }

    private StoredClusterImage(String clusterId) {
        version = 0;
        this.clusterId = clusterId;
        byName = HashTreePMap.empty();
        byId = HashTreePMap.empty();
        brokerConfigs = HashTreePMap.empty();
        groupConfigs = HashTreePMap.empty();
        clientMetricsConfigs = HashTreePMap.empty();
        partitionCount = 0;
        changedTopics = Set.of();
    }

    /** Nothing yet. */
    static StoredClusterImage empty(String clusterId) {
        return new StoredClusterImage(clusterId);
    }

    @Override
    public long version() {
        return version;
    }

    @Override
    public String clusterId() {
        return clusterId;
    }

    @Override
    public @Nullable TopicImage topic(String name) {
        return byName.get(name);
    }

    @Override
    public @Nullable TopicImage topic(TopicId id) {
        return byId.get(id);
    }

    @Override
    public Collection<TopicImage> topics() {
        return byName.values();
    }

    @Override
    public int partitionCount() {
        return partitionCount;
    }

    @Override
    public Set<TopicId> topicsChangedSince(ClusterImage earlier) {
        return earlier.version() == version - 1 ? changedTopics : ClusterImage.super.topicsChangedSince(earlier);
    }

    @Override
    public Map<String, Map<String, String>> brokerConfigs() {
        return brokerConfigs;
    }

    @Override
    public Map<String, Map<String, String>> groupConfigs() {
        return groupConfigs;
    }

    @Override
    public Map<String, Map<String, String>> clientMetricsConfigs() {
        return clientMetricsConfigs;
    }

    /** Gathers changes on top of an image. */
    static final class Builder {
        private final StoredClusterImage previous;
        private final Set<TopicId> changedTopics = new java.util.HashSet<>();
        private PMap<String, TopicImage> byName;
        private PMap<TopicId, TopicImage> byId;
        private PMap<String, Map<String, String>> brokerConfigs;
        private PMap<String, Map<String, String>> groupConfigs;
        private PMap<String, Map<String, String>> clientMetricsConfigs;
        private int partitionCount;

        Builder(StoredClusterImage previous) {
            this.previous = previous;
            this.byName = previous.byName;
            this.byId = previous.byId;
            this.brokerConfigs = previous.brokerConfigs;
            this.groupConfigs = previous.groupConfigs;
            this.clientMetricsConfigs = previous.clientMetricsConfigs;
            this.partitionCount = previous.partitionCount;
        }

        void putTopic(TopicImage topic) {
            removeTopic(topic.name());
            byName = byName.plus(topic.name(), topic);
            byId = byId.plus(topic.id(), topic);
            partitionCount += topic.partitions().size();
            changedTopics.add(topic.id());
        }

        void removeTopic(String name) {
            TopicImage topic = byName.get(name);
            if (topic == null) {
                return;
            }
            byName = byName.minus(name);
            byId = byId.minus(topic.id());
            partitionCount -= topic.partitions().size();
            changedTopics.add(topic.id());
        }

        void putBrokerConfigs(String node, Map<String, String> texts) {
            brokerConfigs = texts.isEmpty() ? brokerConfigs.minus(node) : brokerConfigs.plus(node, texts);
        }

        void putGroupConfigs(String group, Map<String, String> texts) {
            groupConfigs = texts.isEmpty() ? groupConfigs.minus(group) : groupConfigs.plus(group, texts);
        }

        void putClientMetricsConfigs(String subscription, Map<String, String> texts) {
            clientMetricsConfigs = texts.isEmpty()
                    ? clientMetricsConfigs.minus(subscription)
                    : clientMetricsConfigs.plus(subscription, texts);
        }

        boolean isUnchanged() {
            return changedTopics.isEmpty()
                    && brokerConfigs == previous.brokerConfigs
                    && groupConfigs == previous.groupConfigs
                    && clientMetricsConfigs == previous.clientMetricsConfigs;
        }

        StoredClusterImage build() {
            return new StoredClusterImage(this, previous);
        }
    }
}
