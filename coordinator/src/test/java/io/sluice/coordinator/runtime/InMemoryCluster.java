package io.sluice.coordinator.runtime;

import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.PartitionImage;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.ownership.Ownership;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Metadata, ownership and logs of one node, in memory. Every topic is owned and open as soon as it is created. */
public final class InMemoryCluster implements ClusterImageSource, Ownership, InternalTopics, PartitionLogStore {
    public static final int NODE_ID = 1;

    private final Executor storage;
    private volatile TopicDefaults topicDefaults = TopicDefaults.NONE;
    private final Set<PartitionId> unopened = ConcurrentHashMap.newKeySet();
    private final Map<PartitionId, InMemoryLog> logs = new ConcurrentHashMap<>();
    private final List<ImageListener> imageListeners = new CopyOnWriteArrayList<>();
    private final List<OwnershipListener> ownershipListeners = new CopyOnWriteArrayList<>();
    private volatile Map<String, Map<String, String>> groupConfigs = Map.of();
    private volatile Image image = new Image(0, Map.of(), Map.of());

    /** Logs that do everything at once. */
    public InMemoryCluster() {
        this(Runnable::run);
    }

    /**
     * Logs that do everything later.
     *
     * @param storage where appends become durable and reads are answered, in order
     */
    public InMemoryCluster(Executor storage) {
        this.storage = storage;
    }

    private record Image(long version, Map<String, TopicImage> byName, Map<String, Map<String, String>> groupConfigs)
            implements ClusterImage {
        @Override
        public String clusterId() {
            return "AAAAAAAAAAAAAAAAAAAAAA";
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
        public Map<String, Map<String, String>> clientMetricsConfigs() {
            return Map.of();
        }

        @Override
        public Map<String, Map<String, String>> brokerConfigs() {
            return Map.of();
        }
    }

    public TopicImage create(String name, int partitions) {
        TopicImage topic = new TopicImage(
                name,
                TopicId.random(),
                IntStream.range(0, partitions)
                        .mapToObj(partition -> new PartitionImage(partition, partition))
                        .toList(),
                Map.of(),
                1);
        for (int partition = 0; partition < partitions; partition++) {
            PartitionId id = topic.partitionId(partition);
            logs.put(id, new InMemoryLog(id, 0, storage));
        }
        publish(topic, null);
        ownershipListeners.forEach(listener -> topic.partitions()
                .forEach(partition -> listener.onAcquired(topic.partitionId(partition.partition()), 0)));
        return topic;
    }

    public void delete(String name) {
        publish(null, name);
    }

    /** Changes a topic's own settings. */
    public void configure(String name, Map<String, String> configs) {
        TopicImage topic = Objects.requireNonNull(image.topic(name));
        publish(new TopicImage(name, topic.id(), topic.partitions(), configs, topic.replicationFactor()), null);
    }

    /** What topics inherit from the node. */
    public TopicDefaults topicDefaults() {
        return topicDefaults;
    }

    public void setTopicDefaults(TopicDefaults next) {
        topicDefaults = next;
    }

    /** The partition is this node's, and its log is not open. */
    public void keepUnopened(PartitionId id) {
        unopened.add(id);
    }

    /** It is open at last, and served from now on. */
    public void openAtLast(PartitionId id) {
        unopened.remove(id);
        ownershipListeners.forEach(listener -> listener.onAcquired(id, leaderEpochOf(id)));
    }

    public void setGroupConfig(String group, Map<String, String> configs) {
        Map<String, Map<String, String>> next = new ConcurrentHashMap<>(groupConfigs);
        next.put(group, configs);
        setGroupConfigs(next);
    }

    /** All groups' own settings, as this object until they are set again. */
    public void setGroupConfigs(Map<String, Map<String, String>> next) {
        groupConfigs = next;
        publish(null, null);
    }

    private synchronized void publish(@Nullable TopicImage added, @Nullable String removed) {
        Map<String, TopicImage> topics = new ConcurrentHashMap<>(image.byName());
        if (added != null) {
            topics.put(added.name(), added);
        }
        if (removed != null) {
            topics.remove(removed);
        }
        Image previous = image;
        image = new Image(previous.version() + 1, topics, groupConfigs);
        imageListeners.forEach(listener -> listener.onImage(previous, image));
    }

    public InMemoryLog log(String topic, int partition) {
        return Objects.requireNonNull(
                logs.get(Objects.requireNonNull(image.topic(topic)).partitionId(partition)));
    }

    /** What another process would find: the same topics, the logs as far as they were durable, epochs one higher. */
    public InMemoryCluster restarted() {
        InMemoryCluster next = new InMemoryCluster(storage);
        next.image = image;
        next.groupConfigs = groupConfigs;
        logs.forEach((id, log) -> next.logs.put(id, log.restarted()));
        return next;
    }

    /** Takes the partition away and gives it back under the next epoch, as a hand-over there and back would. */
    public void handOverAndBack(PartitionId id) {
        InMemoryLog before = Objects.requireNonNull(logs.remove(id));
        ownershipListeners.forEach(listener -> listener.onReleased(id));
        InMemoryLog after = before.restarted();
        logs.put(id, after);
        ownershipListeners.forEach(listener -> listener.onAcquired(id, after.leaderEpoch()));
    }

    @Override
    public ClusterImage current() {
        return image;
    }

    @Override
    public void addListener(ImageListener listener) {
        imageListeners.add(listener);
        listener.onImage(image, image);
    }

    @Override
    public void addListener(OwnershipListener listener) {
        ownershipListeners.add(listener);
        new ArrayList<>(logs.values()).forEach(log -> listener.onAcquired(log.id(), log.leaderEpoch()));
    }

    @Override
    public int localNodeId() {
        return NODE_ID;
    }

    @Override
    public int ownerOf(PartitionId partition) {
        return logs.containsKey(partition) ? NODE_ID : NOBODY;
    }

    @Override
    public int leaderEpochOf(PartitionId partition) {
        InMemoryLog log = logs.get(partition);
        return log == null ? -1 : log.leaderEpoch();
    }

    @Override
    public CompletionStage<TopicImage> require(Spec spec) {
        TopicImage existing = image.topic(spec.name());
        return CompletableFuture.completedFuture(existing != null ? existing : create(spec.name(), spec.partitions()));
    }

    @Override
    public @Nullable PartitionLog find(PartitionId partition) {
        return unopened.contains(partition) ? null : logs.get(partition);
    }

    @Override
    public CompletionStage<PartitionLog> open(
            PartitionId partition, String topicName, long logId, int leaderEpoch, Map<String, String> configs) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void configure(PartitionId partition, Map<String, String> configs) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void delete(PartitionId partition) {
        throw new UnsupportedOperationException();
    }

    /** Nobody waits here for room: what is full is to be tried again by the client. */
    @Override
    public void awaitCapacity(Executor executor, Runnable task) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
