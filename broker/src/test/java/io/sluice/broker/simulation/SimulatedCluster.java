package io.sluice.broker.simulation;

import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.PartitionImage;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.ownership.Ownership;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One node's metadata and ownership, as a test sets them; opens and deletes the logs with the topics. */
public final class SimulatedCluster implements ClusterImageSource, Ownership {
    private static final int NODE_ID = 1;

    private final InMemoryPartitionLogStore logs;
    private final List<ImageListener> listeners = new ArrayList<>();
    private final Set<PartitionId> released = new HashSet<>();
    private Image image = new Image(0, Map.of(), Map.of());
    private long lookups;
    private long nextTopic = 1;
    private long nextLogId = 1;

    private record Image(
            long version, Map<String, TopicImage> byName, Map<String, Map<String, String>> clientMetricsConfigs)
            implements ClusterImage {
        @Override
        public String clusterId() {
            return "c2ltdWxhdGVkLWNsdXN0ZXI";
        }

        @Override
        public @Nullable TopicImage topic(String name) {
            return byName.get(name);
        }

        @Override
        public @Nullable TopicImage topic(TopicId id) {
            return byName.values().stream()
                    .filter(topic -> topic.id().equals(id))
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public Collection<TopicImage> topics() {
            return byName.values();
        }

        @Override
        public Map<String, Map<String, String>> brokerConfigs() {
            return Map.of();
        }

        @Override
        public Map<String, Map<String, String>> groupConfigs() {
            return Map.of();
        }
    }

    /** No topic yet. */
    public SimulatedCluster(InMemoryPartitionLogStore logs) {
        this.logs = logs;
    }

    /** Creates a topic and its logs. */
    public TopicImage createTopic(String name, int partitions, Map<String, String> configs) {
        List<PartitionImage> partitionImages = IntStream.range(0, partitions)
                .mapToObj(number -> new PartitionImage(number, nextLogId++))
                .toList();
        TopicImage topic = new TopicImage(name, new TopicId(7, nextTopic++), partitionImages, configs, 1);
        for (PartitionImage partition : partitionImages) {
            PartitionId id = topic.partitionId(partition.partition());
            logs.open(id, name, partition.logId(), 0, configs);
        }
        Map<String, TopicImage> topics = new HashMap<>(image.byName);
        topics.put(name, topic);
        become(topics);
        return topic;
    }

    /** Deletes a topic and its logs. */
    public void deleteTopic(String name) {
        Map<String, TopicImage> topics = new HashMap<>(image.byName);
        TopicImage topic = topics.remove(name);
        if (topic == null) {
            throw new IllegalArgumentException("no topic " + name);
        }
        become(topics);
        topic.partitions().forEach(partition -> logs.delete(topic.partitionId(partition.partition())));
    }

    /** Sets all subscriptions to clients' metrics. */
    public void subscribe(Map<String, Map<String, String>> clientMetricsConfigs) {
        Image previous = image;
        image = new Image(previous.version + 1, previous.byName, clientMetricsConfigs);
        listeners.forEach(listener -> listener.onImage(previous, image));
    }

    /** Gives a partition away. */
    public void release(PartitionId partition) {
        released.add(partition);
    }

    private void become(Map<String, TopicImage> topics) {
        Image previous = image;
        image = new Image(previous.version + 1, Map.copyOf(topics), previous.clientMetricsConfigs);
        listeners.forEach(listener -> listener.onImage(previous, image));
    }

    @Override
    public ClusterImage current() {
        return image;
    }

    @Override
    public void addListener(ImageListener listener) {
        listeners.add(listener);
        listener.onImage(image, image);
    }

    @Override
    public int localNodeId() {
        return NODE_ID;
    }

    /** How often somebody asked for an owner. */
    public long lookups() {
        return lookups;
    }

    @Override
    public int ownerOf(PartitionId partition) {
        lookups++;
        return released.contains(partition) ? NODE_ID + 1 : NODE_ID;
    }

    @Override
    public int leaderEpochOf(PartitionId partition) {
        return logs.find(partition) == null ? -1 : logs.log(partition).leaderEpoch();
    }

    @Override
    public void addListener(OwnershipListener listener) {
        throw new UnsupportedOperationException("nobody listens in these tests");
    }
}
