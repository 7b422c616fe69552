package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import java.util.List;

/** Settings of group coordination, by Kafka's names. All but {@link #MAX_CONFIGURED} take effect at the next start. */
public final class GroupConfigKeys {
    /** Threads of the coordinator; more than one pays only with thousands of groups. */
    public static final ConfigKey<Integer> THREADS = ConfigKey.ofInt(
            "group.coordinator.threads", 1, 1, 64, Scope.RESTART, "Threads that process group requests.");

    /** Threads for assignments and patterns handed off. */
    public static final ConfigKey<Integer> BACKGROUND_THREADS = ConfigKey.ofInt(
            "group.coordinator.background.threads",
            1,
            1,
            64,
            Scope.RESTART,
            "Threads that compute assignments and resolve topic patterns; started on first use.");

    /** Partitions of the offsets topic. */
    public static final ConfigKey<Integer> OFFSETS_PARTITIONS = ConfigKey.ofInt(
            "offsets.topic.num.partitions",
            8,
            1,
            1000,
            Scope.RESTART,
            "Partitions that __consumer_offsets is created with; an existing topic keeps its own number.");

    /** Copies of the offsets topic. */
    public static final ConfigKey<Integer> OFFSETS_REPLICATION = ConfigKey.ofInt(
            "offsets.topic.replication.factor",
            3,
            1,
            Short.MAX_VALUE,
            Scope.RESTART,
            "Replication factor that __consumer_offsets is created with; one node keeps one copy whatever it says.");

    /** Segment size of the offsets topic. */
    public static final ConfigKey<Integer> OFFSETS_SEGMENT_BYTES = ConfigKey.ofInt(
            "offsets.topic.segment.bytes",
            104_857_600,
            1 << 20,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Segment size that __consumer_offsets is created with, in bytes.");

    /** How much is read at once while loading. */
    public static final ConfigKey<Integer> LOAD_BUFFER_BYTES = ConfigKey.ofInt(
            "offsets.load.buffer.size",
            1 << 20,
            1,
            1 << 30,
            Scope.RESTART,
            "Bytes read at once while groups and offsets are loaded; a larger batch is read whole.");

    /** How long a write may take to become durable. */
    public static final ConfigKey<Integer> COMMIT_TIMEOUT_MS = ConfigKey.ofInt(
            "offsets.commit.timeout.ms",
            5000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "How long a commit, or any other change of a group, may take to become durable, in milliseconds.");

    /** Longest metadata string of a commit. */
    public static final ConfigKey<Integer> METADATA_MAX_BYTES = ConfigKey.ofInt(
            "offset.metadata.max.bytes",
            4096,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Longest text that may be committed with an offset, in bytes.");

    /** How long offsets outlive their group's members. */
    public static final ConfigKey<Integer> RETENTION_MINUTES = ConfigKey.ofInt(
            "offsets.retention.minutes",
            10_080,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "How long committed offsets are kept after their group became empty, or after the commit where the group has"
                    + " no members, in minutes.");

    /** How often expired offsets are looked for. */
    public static final ConfigKey<Long> RETENTION_CHECK_MS = ConfigKey.ofLong(
            "offsets.retention.check.interval.ms",
            600_000,
            1,
            Long.MAX_VALUE,
            Scope.RESTART,
            "How often expired offsets are looked for, in milliseconds.");

    /** Shortest session a classic member may ask for. */
    public static final ConfigKey<Integer> MIN_SESSION_MS = ConfigKey.ofInt(
            "group.min.session.timeout.ms",
            6000,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Shortest session time-out a member of a classic group may ask for, in milliseconds.");

    /** Longest session a classic member may ask for. */
    public static final ConfigKey<Integer> MAX_SESSION_MS = ConfigKey.ofInt(
            "group.max.session.timeout.ms",
            1_800_000,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Longest session time-out a member of a classic group may ask for, in milliseconds.");

    /** Wait before the first rebalance. */
    public static final ConfigKey<Integer> INITIAL_REBALANCE_DELAY_MS = ConfigKey.ofInt(
            "group.initial.rebalance.delay.ms",
            3000,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "How long a new classic group waits for more members before its first rebalance, in milliseconds.");

    /** Most members of a classic group. */
    public static final ConfigKey<Integer> MAX_SIZE = ConfigKey.ofInt(
            "group.max.size",
            Integer.MAX_VALUE,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Most members a classic group may have.");

    /** Session of a KIP-848 member. */
    public static final ConfigKey<Integer> CONSUMER_SESSION_MS = ofConsumerMillis(
            "group.consumer.session.timeout.ms", 45_000, "Session time-out of members of consumer groups");

    /** Smallest session a group may be configured with. */
    public static final ConfigKey<Integer> CONSUMER_MIN_SESSION_MS = ofConsumerMillis(
            "group.consumer.min.session.timeout.ms", 45_000, "Smallest session time-out a group may be given");

    /** Largest session a group may be configured with. */
    public static final ConfigKey<Integer> CONSUMER_MAX_SESSION_MS = ofConsumerMillis(
            "group.consumer.max.session.timeout.ms", 60_000, "Largest session time-out a group may be given");

    /** Heartbeat interval of a KIP-848 member. */
    public static final ConfigKey<Integer> CONSUMER_HEARTBEAT_MS = ofConsumerMillis(
            "group.consumer.heartbeat.interval.ms", 5000, "Heartbeat interval told to members of consumer groups");

    /** Smallest heartbeat interval a group may be configured with. */
    public static final ConfigKey<Integer> CONSUMER_MIN_HEARTBEAT_MS = ofConsumerMillis(
            "group.consumer.min.heartbeat.interval.ms", 5000, "Smallest heartbeat interval a group may be given");

    /** Largest heartbeat interval a group may be configured with. */
    public static final ConfigKey<Integer> CONSUMER_MAX_HEARTBEAT_MS = ofConsumerMillis(
            "group.consumer.max.heartbeat.interval.ms", 15_000, "Largest heartbeat interval a group may be given");

    /** Least time between two assignments. */
    public static final ConfigKey<Integer> CONSUMER_ASSIGNMENT_INTERVAL_MS = ofInterval(
            "group.consumer.assignment.interval.ms",
            1000,
            "Least time between two assignments of a consumer group, so that many members who come together cause few");

    /** Smallest assignment interval a group may be configured with. */
    public static final ConfigKey<Integer> CONSUMER_MIN_ASSIGNMENT_INTERVAL_MS = ofInterval(
            "group.consumer.min.assignment.interval.ms", 0, "Smallest assignment interval a group may be given");

    /** Largest assignment interval a group may be configured with. */
    public static final ConfigKey<Integer> CONSUMER_MAX_ASSIGNMENT_INTERVAL_MS = ofInterval(
            "group.consumer.max.assignment.interval.ms", 15_000, "Largest assignment interval a group may be given");

    /** Most members of a consumer group. */
    public static final ConfigKey<Integer> CONSUMER_MAX_SIZE = ConfigKey.ofInt(
            "group.consumer.max.size",
            Integer.MAX_VALUE,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Most members a consumer group may have.");

    /** Whether groups may change protocol while they have members. */
    public static final ConfigKey<String> CONSUMER_MIGRATION_POLICY = ConfigKey.ofChoice(
            "group.consumer.migration.policy",
            "bidirectional",
            List.of("bidirectional", "upgrade", "downgrade", "disabled"),
            Scope.RESTART,
            "Which way a group with members may change between the classic and the consumer protocol.");

    /** Groups with settings of their own. */
    public static final ConfigKey<Integer> MAX_CONFIGURED = ConfigKey.ofInt(
            "sluice.max.configured.groups",
            2_000,
            0,
            1_000_000,
            Scope.DYNAMIC,
            "Groups that may have settings of their own, whether they exist or not; the node keeps all of them in memory, and"
                    + " settings of one more are refused.");

    /** All of them, in the order of the documentation. */
    public static final List<ConfigKey<?>> ALL = List.of(
            THREADS,
            BACKGROUND_THREADS,
            OFFSETS_PARTITIONS,
            OFFSETS_REPLICATION,
            OFFSETS_SEGMENT_BYTES,
            LOAD_BUFFER_BYTES,
            COMMIT_TIMEOUT_MS,
            METADATA_MAX_BYTES,
            RETENTION_MINUTES,
            RETENTION_CHECK_MS,
            MIN_SESSION_MS,
            MAX_SESSION_MS,
            INITIAL_REBALANCE_DELAY_MS,
            MAX_SIZE,
            CONSUMER_SESSION_MS,
            CONSUMER_MIN_SESSION_MS,
            CONSUMER_MAX_SESSION_MS,
            CONSUMER_HEARTBEAT_MS,
            CONSUMER_MIN_HEARTBEAT_MS,
            CONSUMER_MAX_HEARTBEAT_MS,
            CONSUMER_ASSIGNMENT_INTERVAL_MS,
            CONSUMER_MIN_ASSIGNMENT_INTERVAL_MS,
            CONSUMER_MAX_ASSIGNMENT_INTERVAL_MS,
            CONSUMER_MAX_SIZE,
            CONSUMER_MIGRATION_POLICY,
            MAX_CONFIGURED);

    private GroupConfigKeys() {}

    private static ConfigKey<Integer> ofInterval(String name, int defaultValue, String what) {
        return ConfigKey.ofInt(
                name, defaultValue, 0, Integer.MAX_VALUE, Scope.RESTART, what + " (KIP-848), in milliseconds.");
    }

    private static ConfigKey<Integer> ofConsumerMillis(String name, int defaultValue, String what) {
        return ConfigKey.ofInt(
                name, defaultValue, 1, Integer.MAX_VALUE, Scope.RESTART, what + " (KIP-848), in milliseconds.");
    }
}
