package io.sluice.coordinator.runtime;

import io.sluice.base.config.ConfigValues;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.storage.config.GroupConfigKeys;
import io.sluice.storage.config.ShareGroupKeys;
import io.sluice.storage.config.TransactionKeys;
import java.util.HashMap;
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
        private static final String MIN_INSYNC_REPLICAS = "min.insync.replicas";

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

        /** The topic of transactions, as the node's settings want it. */
        public static Spec ofTransactions(ConfigValues config) {
            return new Spec(
                    TopicNames.TRANSACTION_STATE,
                    config.get(TransactionKeys.STATE_PARTITIONS),
                    config.get(TransactionKeys.STATE_REPLICATION).shortValue(),
                    Map.of(
                            "cleanup.policy",
                            "compact",
                            "compression.type",
                            "uncompressed",
                            MIN_INSYNC_REPLICAS,
                            config.get(TransactionKeys.STATE_MIN_ISR).toString(),
                            "segment.bytes",
                            config.get(TransactionKeys.STATE_SEGMENT_BYTES).toString(),
                            "sluice.durability",
                            "disk"));
        }

        /**
         * The topic of share groups' state, as the node's settings want it. Its coordinator deletes what it needs no more
         * itself.
         */
        public static Spec ofShareState(ConfigValues config) {
            return new Spec(
                    TopicNames.SHARE_GROUP_STATE,
                    config.get(ShareGroupKeys.STATE_PARTITIONS),
                    config.get(ShareGroupKeys.STATE_REPLICATION).shortValue(),
                    Map.of(
                            "cleanup.policy",
                            "delete",
                            "retention.ms",
                            "-1",
                            "compression.type",
                            "producer",
                            MIN_INSYNC_REPLICAS,
                            config.get(ShareGroupKeys.STATE_MIN_ISR).toString(),
                            "segment.bytes",
                            config.get(ShareGroupKeys.STATE_SEGMENT_BYTES).toString(),
                            "sluice.durability",
                            "disk"));
        }

        /** The same for this many copies at most: a topic that waits for more than it has would take nothing. */
        Spec atMost(int replicas) {
            int copies = Math.min(replicationFactor, replicas);
            Map<String, String> fitting = new HashMap<>(configs);
            fitting.computeIfPresent(
                    MIN_INSYNC_REPLICAS, (key, value) -> Integer.toString(Math.min(Integer.parseInt(value), copies)));
            return new Spec(name, partitions, (short) copies, fitting);
        }
    }
}
