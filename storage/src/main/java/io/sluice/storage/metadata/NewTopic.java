package io.sluice.storage.metadata;

import java.util.Map;

/**
 * A topic to create.
 *
 * @param partitions one or more
 * @param replicationFactor copies asked for
 * @param configs what is to be set on the topic, by Kafka's names
 */
public record NewTopic(String name, int partitions, int replicationFactor, Map<String, String> configs) {
    /** Copies the settings. */
    public NewTopic {
        configs = Map.copyOf(configs);
    }
}
