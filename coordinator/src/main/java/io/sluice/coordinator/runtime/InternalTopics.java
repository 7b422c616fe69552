package io.sluice.coordinator.runtime;

import io.sluice.base.config.ConfigValues;
import io.sluice.base.metadata.TopicImage;
import io.sluice.storage.config.GroupConfigKeys;
import io.sluice.storage.metadata.TopicNames;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Creates the topics that coordinators keep their state in, on first need. Safe on every thread. */
public interface InternalTopics {
    /**
     * Completes with the topic once it exists, creating it if need be. An existing topic is returned as it is: its
     * partitions are counted once, at creation.
     */
    CompletionStage<TopicImage> require(Spec spec);

    /**
     * How to create it.
     *
     * @param configs topic settings, by Kafka's names
     */
    record Spec(String name, int partitions, short replicationFactor, Map<String, String> configs) {
        /** Copies the settings. */
        public Spec {
            configs = Map.copyOf(configs);
        }

        /** The topic of committed offsets and groups, as the node's settings want it. */
        public static Spec ofOffsets(ConfigValues config) {
            return new Spec(
                    TopicNames.CONSUMER_OFFSETS,
                    config.get(GroupConfigKeys.OFFSETS_PARTITIONS),
                    config.get(GroupConfigKeys.OFFSETS_REPLICATION).shortValue(),
                    Map.of(
                            "cleanup.policy",
                            "compact",
                            "compression.type",
                            "producer",
                            "segment.bytes",
                            config.get(GroupConfigKeys.OFFSETS_SEGMENT_BYTES).toString(),
                            "sluice.durability",
                            "disk"));
        }
    }
}
