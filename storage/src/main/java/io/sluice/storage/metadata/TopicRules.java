package io.sluice.storage.metadata;

import io.sluice.base.config.ConfigException;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.storage.config.TopicConfigKeys;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.metadata.TopicOutcome.Reason;
import io.sluice.storage.metadata.TopicOutcome.Refused;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a topic must fulfil before it may be created or changed, and who is creating what at this moment: two creations at
 * once must not exceed the limit of partitions together, nor have names that differ only in dots and underscores. Safe on
 * every thread.
 */
final class TopicRules {
    private static final int MAX_CONFIG_CHARACTERS = 16_000;

    private final Supplier<TopicDefaults> defaults;
    private final IntSupplier maxPartitions;
    private final int maxReplicas;
    private final Map<String, String> namesByCollisionKey = new HashMap<>();
    private final Map<String, String> creating = new HashMap<>();
    private int partitionsUnderWay;

    TopicRules(Supplier<TopicDefaults> defaults, IntSupplier maxPartitions, int maxReplicas) {
        this.defaults = defaults;
        this.maxPartitions = maxPartitions;
        this.maxReplicas = maxReplicas;
    }

    /** Why such a topic is refused whatever else there is; null when it is not. */
    @Nullable Refused fault(NewTopic topic) {
        String nameFault = TopicNames.fault(topic.name());
        if (nameFault != null) {
            return new Refused(Reason.INVALID_NAME, nameFault);
        }
        if (topic.partitions() < 1) {
            return new Refused(
                    Reason.INVALID_PARTITIONS,
                    "Number of partitions is " + topic.partitions() + "; it must be 1 or more.");
        }
        if (topic.replicationFactor() < 1 || topic.replicationFactor() > maxReplicas) {
            return new Refused(
                    Reason.INVALID_REPLICATION_FACTOR,
                    "Replication factor is " + topic.replicationFactor() + "; it must be 1 to " + maxReplicas
                            + ", the number of brokers.");
        }
        return configFault(topic.name(), topic.configs());
    }

    /** Why a topic may not have these settings; null when it may. */
    @Nullable Refused configFault(String name, Map<String, String> configs) {
        for (Map.Entry<String, String> config : configs.entrySet()) {
            if (config.getValue().length() > MAX_CONFIG_CHARACTERS) {
                return new Refused(
                        Reason.INVALID_CONFIG,
                        "The value of " + config.getKey() + " has "
                                + config.getValue().length() + " characters; allowed are " + MAX_CONFIG_CHARACTERS
                                + ".");
            }
        }
        if (TopicNames.isInternal(name) && "memory".equals(configs.get(TopicConfigKeys.DURABILITY.name()))) {
            return new Refused(
                    Reason.INVALID_CONFIG,
                    "Invalid value 'memory' for sluice.durability: the internal topic " + name
                            + " always has disk durability.");
        }
        try {
            defaults.get().topicConfig(configs);
            return null;
        } catch (ConfigException e) {
            return new Refused(Reason.INVALID_CONFIG, String.valueOf(e.getMessage()));
        }
    }

    /** Why a topic cannot be created beside those there are; null when it can. */
    synchronized @Nullable Refused conflict(NewTopic topic, ClusterImage image) {
        if (image.topic(topic.name()) != null) {
            return new Refused(Reason.EXISTS, "Topic '" + topic.name() + "' already exists.");
        }
        String key = TopicNames.collisionKey(topic.name());
        String other = namesByCollisionKey.getOrDefault(key, creating.get(key));
        if (other != null && !other.equals(topic.name())) {
            return new Refused(
                    Reason.INVALID_NAME,
                    "Topic '" + topic.name() + "' collides with existing topic: " + other
                            + " (names must differ in more than dots and underscores).");
        }
        return limit(topic.partitions(), image);
    }

    /** Reserves name and room for a creation; null when done, and {@link #endCreation} must follow. */
    synchronized @Nullable Refused beginCreation(NewTopic topic, ClusterImage image) {
        Refused refused = conflict(topic, image);
        if (refused == null && creating.containsKey(TopicNames.collisionKey(topic.name()))) {
            refused = new Refused(Reason.EXISTS, "Topic '" + topic.name() + "' is being created already.");
        }
        if (refused == null) {
            creating.put(TopicNames.collisionKey(topic.name()), topic.name());
            partitionsUnderWay += topic.partitions();
        }
        return refused;
    }

    synchronized void endCreation(NewTopic topic) {
        creating.remove(TopicNames.collisionKey(topic.name()));
        partitionsUnderWay -= topic.partitions();
    }

    /**
     * Reserves room for more partitions of a topic; null when done, and {@link #endGrowth} must follow. An internal topic
     * keeps the number it was created with: which partition holds a group's state follows from it.
     */
    synchronized @Nullable Refused beginGrowth(String name, int partitions, ClusterImage image) {
        Refused refused = TopicNames.isInternal(name) ? fixedPartitions(name) : limit(partitions, image);
        if (refused == null) {
            partitionsUnderWay += partitions;
        }
        return refused;
    }

    synchronized void endGrowth(int partitions) {
        partitionsUnderWay -= partitions;
    }

    /** Remembers a topic that is there. */
    synchronized void onTopic(String name) {
        namesByCollisionKey.put(TopicNames.collisionKey(name), name);
    }

    /** Forgets a topic that was deleted. */
    synchronized void onDeleted(String name) {
        namesByCollisionKey.remove(TopicNames.collisionKey(name), name);
    }

    private static Refused fixedPartitions(String name) {
        return new Refused(
                Reason.INVALID_PARTITIONS,
                "The internal topic " + name + " keeps the number of partitions it was created with: in which of them a"
                        + " coordinator finds its state depends on it, so with more of them committed offsets would be lost.");
    }

    private @Nullable Refused limit(int partitions, ClusterImage image) {
        long there = (long) image.partitionCount() + partitionsUnderWay;
        int allowed = maxPartitions.getAsInt();
        if (there + partitions <= allowed) {
            return null;
        }
        return new Refused(
                Reason.TOO_MANY_PARTITIONS,
                partitions + " more partitions are too many: there are " + there + ", and sluice.max.partitions is "
                        + allowed + ". Delete topics, ask for fewer partitions, or raise sluice.max.partitions.");
    }
}
