package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import java.util.List;

/** Groups and their offsets. */
public final class GroupKeys {
    /** Assignors of consumer groups on the broker, the default one first. */
    public static final ConfigKey<List<String>> GROUP_CONSUMER_ASSIGNORS = ConfigKey.ofList(
            "group.consumer.assignors",
            "uniform,range",
            Scope.RESTART,
            "Assignors of consumer groups on the broker, the default one first.");

    /** Milliseconds between heartbeats of a consumer group's members. */
    public static final ConfigKey<Integer> GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS = ConfigKey.ofInt(
            "group.consumer.heartbeat.interval.ms",
            5000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Milliseconds between heartbeats of a consumer group's members.");

    /** Largest consumer.heartbeat.interval.ms that a group may set. */
    public static final ConfigKey<Integer> GROUP_CONSUMER_MAX_HEARTBEAT_INTERVAL_MS = ConfigKey.ofInt(
            "group.consumer.max.heartbeat.interval.ms",
            15000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Largest consumer.heartbeat.interval.ms that a group may set.");

    /** Largest consumer.session.timeout.ms that a group may set. */
    public static final ConfigKey<Integer> GROUP_CONSUMER_MAX_SESSION_TIMEOUT_MS = ConfigKey.ofInt(
            "group.consumer.max.session.timeout.ms",
            60000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Largest consumer.session.timeout.ms that a group may set.");

    /** Most members of a consumer group. */
    public static final ConfigKey<Integer> GROUP_CONSUMER_MAX_SIZE = ConfigKey.ofInt(
            "group.consumer.max.size",
            Integer.MAX_VALUE,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Most members of a consumer group.");

    /** In which directions a group may change between the classic and the consumer protocol while it has members. */
    public static final ConfigKey<String> GROUP_CONSUMER_MIGRATION_POLICY = ConfigKey.ofChoice(
            "group.consumer.migration.policy",
            "bidirectional",
            List.of("disabled", "downgrade", "upgrade", "bidirectional"),
            Scope.RESTART,
            "In which directions a group may change between the classic and the consumer protocol "
                    + "while it has members.");

    /** Smallest consumer.heartbeat.interval.ms that a group may set. */
    public static final ConfigKey<Integer> GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS = ConfigKey.ofInt(
            "group.consumer.min.heartbeat.interval.ms",
            5000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Smallest consumer.heartbeat.interval.ms that a group may set.");

    /** Smallest consumer.session.timeout.ms that a group may set. */
    public static final ConfigKey<Integer> GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS = ConfigKey.ofInt(
            "group.consumer.min.session.timeout.ms",
            45000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Smallest consumer.session.timeout.ms that a group may set.");

    /** Milliseconds without a heartbeat after which a member of a consumer group is removed. */
    public static final ConfigKey<Integer> GROUP_CONSUMER_SESSION_TIMEOUT_MS = ConfigKey.ofInt(
            "group.consumer.session.timeout.ms",
            45000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Milliseconds without a heartbeat after which a member of a consumer group is removed.");

    /** Milliseconds for which the coordinator gathers writes; -1 lets it adapt. */
    public static final ConfigKey<Integer> GROUP_COORDINATOR_APPEND_LINGER_MS = ConfigKey.ofInt(
            "group.coordinator.append.linger.ms",
            -1,
            -1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Milliseconds for which the coordinator gathers writes; -1 lets it adapt.");

    /** Group protocols that are served. */
    public static final ConfigKey<List<String>> GROUP_COORDINATOR_REBALANCE_PROTOCOLS = ConfigKey.ofListOf(
            "group.coordinator.rebalance.protocols",
            "classic,consumer",
            List.of("classic", "consumer"),
            Scope.RESTART,
            "Group protocols that are served.");

    /** Threads of the group coordinator. */
    public static final ConfigKey<Integer> GROUP_COORDINATOR_THREADS =
            ConfigKey.ofInt("group.coordinator.threads", 1, 1, 64, Scope.RESTART, "Threads of the group coordinator.");

    /** Milliseconds that an empty classic group waits for more members before its first rebalance. */
    public static final ConfigKey<Integer> GROUP_INITIAL_REBALANCE_DELAY_MS = ConfigKey.ofInt(
            "group.initial.rebalance.delay.ms",
            3000,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Milliseconds that an empty classic group waits for more members before its first " + "rebalance.");

    /** Largest session time-out in milliseconds of a classic group's member. */
    public static final ConfigKey<Integer> GROUP_MAX_SESSION_TIMEOUT_MS = ConfigKey.ofInt(
            "group.max.session.timeout.ms",
            1800000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Largest session time-out in milliseconds of a classic group's member.");

    /** Most members of a classic group. */
    public static final ConfigKey<Integer> GROUP_MAX_SIZE = ConfigKey.ofInt(
            "group.max.size",
            Integer.MAX_VALUE,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Most members of a classic group.");

    /** Smallest session time-out in milliseconds of a classic group's member. */
    public static final ConfigKey<Integer> GROUP_MIN_SESSION_TIMEOUT_MS = ConfigKey.ofInt(
            "group.min.session.timeout.ms",
            6000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Smallest session time-out in milliseconds of a classic group's member.");

    /** Most bytes of metadata with a committed offset. */
    public static final ConfigKey<Integer> OFFSET_METADATA_MAX_BYTES = ConfigKey.ofInt(
            "offset.metadata.max.bytes",
            4096,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Most bytes of metadata with a committed offset.");

    /** Milliseconds after which a commit that has not become durable is answered with an error. */
    public static final ConfigKey<Integer> OFFSETS_COMMIT_TIMEOUT_MS = ConfigKey.ofInt(
            "offsets.commit.timeout.ms",
            5000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Milliseconds after which a commit that has not become durable is answered with an error.");

    /** Bytes read at once when offsets are loaded. */
    public static final ConfigKey<Integer> OFFSETS_LOAD_BUFFER_SIZE = ConfigKey.ofInt(
            "offsets.load.buffer.size",
            5242880,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Bytes read at once when offsets are loaded.");

    /** Milliseconds between searches for offsets that have expired. */
    public static final ConfigKey<Long> OFFSETS_RETENTION_CHECK_INTERVAL_MS = ConfigKey.ofLong(
            "offsets.retention.check.interval.ms",
            600000,
            1,
            Long.MAX_VALUE,
            Scope.RESTART,
            "Milliseconds between searches for offsets that have expired.");

    /** Minutes for which the offsets of a group without members are kept. */
    public static final ConfigKey<Integer> OFFSETS_RETENTION_MINUTES = ConfigKey.ofInt(
            "offsets.retention.minutes",
            10080,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Minutes for which the offsets of a group without members are kept.");

    /** Partitions of the offsets topic; read when the topic is created, never again. */
    public static final ConfigKey<Integer> OFFSETS_TOPIC_NUM_PARTITIONS = ConfigKey.ofInt(
            "offsets.topic.num.partitions",
            8,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Partitions of the offsets topic; read when the topic is created, never again.");

    /** Copies of the offsets topic. */
    public static final ConfigKey<Integer> OFFSETS_TOPIC_REPLICATION_FACTOR = ConfigKey.ofInt(
            "offsets.topic.replication.factor", 1, 1, Short.MAX_VALUE, Scope.RESTART, "Copies of the offsets topic.");

    /** segment.bytes of the offsets topic. */
    public static final ConfigKey<Integer> OFFSETS_TOPIC_SEGMENT_BYTES = ConfigKey.ofInt(
            "offsets.topic.segment.bytes",
            104857600,
            1048576,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "segment.bytes of the offsets topic.");

    /** All of them. */
    static final List<ConfigKey<?>> ALL = List.of(
            GROUP_CONSUMER_ASSIGNORS,
            GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS,
            GROUP_CONSUMER_MAX_HEARTBEAT_INTERVAL_MS,
            GROUP_CONSUMER_MAX_SESSION_TIMEOUT_MS,
            GROUP_CONSUMER_MAX_SIZE,
            GROUP_CONSUMER_MIGRATION_POLICY,
            GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS,
            GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS,
            GROUP_CONSUMER_SESSION_TIMEOUT_MS,
            GROUP_COORDINATOR_APPEND_LINGER_MS,
            GROUP_COORDINATOR_REBALANCE_PROTOCOLS,
            GROUP_COORDINATOR_THREADS,
            GROUP_INITIAL_REBALANCE_DELAY_MS,
            GROUP_MAX_SESSION_TIMEOUT_MS,
            GROUP_MAX_SIZE,
            GROUP_MIN_SESSION_TIMEOUT_MS,
            OFFSET_METADATA_MAX_BYTES,
            OFFSETS_COMMIT_TIMEOUT_MS,
            OFFSETS_LOAD_BUFFER_SIZE,
            OFFSETS_RETENTION_CHECK_INTERVAL_MS,
            OFFSETS_RETENTION_MINUTES,
            OFFSETS_TOPIC_NUM_PARTITIONS,
            OFFSETS_TOPIC_REPLICATION_FACTOR,
            OFFSETS_TOPIC_SEGMENT_BYTES);

    private GroupKeys() {}
}
