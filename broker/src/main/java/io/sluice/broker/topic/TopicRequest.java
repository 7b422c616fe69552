package io.sluice.broker.topic;

import io.sluice.base.config.ConfigValues;
import io.sluice.storage.config.TopicDefaultKeys;
import io.sluice.storage.metadata.NewTopic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * A topic as CreateTopics asks for it, checked for what can be said of the request alone. Exactly one of the two is null.
 *
 * @param topic what to create
 * @param error why not
 */
record TopicRequest(@Nullable NewTopic topic, @Nullable ApiError error) {
    private static final int DEFAULT = -1;

    /** Reads a request, with the node's defaults for what it leaves open. */
    static TopicRequest read(CreatableTopic requested, ConfigValues settings, Set<Integer> brokers) {
        Map<String, String> configs = new HashMap<>();
        for (CreatableTopicConfig config : requested.configs()) {
            if (config.value() == null) {
                return refuse(Errors.INVALID_CONFIG, "Null value not supported for topic configs: " + config.name());
            }
            configs.put(config.name(), config.value());
        }
        return requested.assignments().isEmpty()
                ? counted(requested, settings, configs)
                : assigned(requested, brokers, configs);
    }

    private static TopicRequest counted(CreatableTopic requested, ConfigValues settings, Map<String, String> configs) {
        int partitions = requested.numPartitions();
        int replicas = requested.replicationFactor();
        if (replicas < DEFAULT || replicas == 0) {
            return refuse(
                    Errors.INVALID_REPLICATION_FACTOR,
                    "Replication factor must be larger than 0, or -1 to use the default value.");
        }
        if (partitions < DEFAULT || partitions == 0) {
            return refuse(Errors.INVALID_PARTITIONS, "Number of partitions was set to an invalid non-positive value.");
        }
        return new TopicRequest(
                new NewTopic(
                        requested.name(),
                        partitions == DEFAULT ? settings.get(TopicDefaultKeys.NUM_PARTITIONS) : partitions,
                        replicas == DEFAULT ? settings.get(TopicDefaultKeys.DEFAULT_REPLICATION_FACTOR) : replicas,
                        configs),
                null);
    }

    private static TopicRequest assigned(CreatableTopic requested, Set<Integer> brokers, Map<String, String> configs) {
        if (requested.replicationFactor() != DEFAULT) {
            return refuse(
                    Errors.INVALID_REQUEST,
                    "A manual partition assignment was specified, but replication factor was not set to -1.");
        }
        if (requested.numPartitions() != DEFAULT) {
            return refuse(
                    Errors.INVALID_REQUEST,
                    "A manual partition assignment was specified, but numPartitions was not set to -1.");
        }
        Map<Integer, List<Integer>> byPartition = new TreeMap<>();
        for (CreatableReplicaAssignment assignment : requested.assignments()) {
            if (byPartition.put(assignment.partitionIndex(), assignment.brokerIds()) != null) {
                return new TopicRequest(
                        null,
                        ReplicaAssignment.refuse("Found multiple manual partition assignments for partition "
                                + assignment.partitionIndex()));
            }
        }
        ApiError fault = ReplicaAssignment.fault(byPartition, brokers);
        int replicas = byPartition.values().iterator().next().size();
        return fault != null
                ? new TopicRequest(null, fault)
                : new TopicRequest(new NewTopic(requested.name(), byPartition.size(), replicas, configs), null);
    }

    private static TopicRequest refuse(Errors error, String message) {
        return new TopicRequest(null, new ApiError(error, message));
    }
}
