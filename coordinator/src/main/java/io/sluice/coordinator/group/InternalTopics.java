package io.sluice.coordinator.group;

import io.sluice.base.metadata.TopicImage;
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
    }
}
