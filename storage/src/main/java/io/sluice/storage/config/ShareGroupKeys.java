package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import java.util.List;

/** Settings of share groups (KIP-932), by Kafka's names. All take effect at the next start. */
public final class ShareGroupKeys {
    /** The highest delivery limit that a group can have, whatever it and its node are set to. */
    public static final int MOST_DELIVERIES = 25;

    /** Session of a member. */
    public static final ConfigKey<Integer> SESSION_MS = ConfigKey.ofInt(
            "group.share.session.timeout.ms",
            45_000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Session time-out of members of share groups (KIP-932), in milliseconds.");

    /** Smallest session a group may be configured with. */
    public static final ConfigKey<Integer> MIN_SESSION_MS = ConfigKey.ofInt(
            "group.share.min.session.timeout.ms",
            45_000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Smallest session time-out a share group may be given (KIP-932), in milliseconds.");

    /** Largest session a group may be configured with. */
    public static final ConfigKey<Integer> MAX_SESSION_MS = ConfigKey.ofInt(
            "group.share.max.session.timeout.ms",
            60_000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Largest session time-out a share group may be given (KIP-932), in milliseconds.");

    /** Heartbeat interval of a member. */
    public static final ConfigKey<Integer> HEARTBEAT_MS = ConfigKey.ofInt(
            "group.share.heartbeat.interval.ms",
            5000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Heartbeat interval told to members of share groups (KIP-932), in milliseconds.");

    /** Smallest heartbeat interval a group may be configured with. */
    public static final ConfigKey<Integer> MIN_HEARTBEAT_MS = ConfigKey.ofInt(
            "group.share.min.heartbeat.interval.ms",
            5000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Smallest heartbeat interval a share group may be given (KIP-932), in milliseconds.");

    /** Largest heartbeat interval a group may be configured with. */
    public static final ConfigKey<Integer> MAX_HEARTBEAT_MS = ConfigKey.ofInt(
            "group.share.max.heartbeat.interval.ms",
            15_000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Largest heartbeat interval a share group may be given (KIP-932), in milliseconds.");

    /** Least time between two assignments. */
    public static final ConfigKey<Integer> ASSIGNMENT_INTERVAL_MS = ConfigKey.ofInt(
            "group.share.assignment.interval.ms",
            1000,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Least time between two assignments of a share group, so that many members who come together cause few, in milliseconds.");

    /** Smallest assignment interval a group may be configured with. */
    public static final ConfigKey<Integer> MIN_ASSIGNMENT_INTERVAL_MS = ConfigKey.ofInt(
            "group.share.min.assignment.interval.ms",
            0,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Smallest assignment interval a share group may be given, in milliseconds.");

    /** Largest assignment interval a group may be configured with. */
    public static final ConfigKey<Integer> MAX_ASSIGNMENT_INTERVAL_MS = ConfigKey.ofInt(
            "group.share.max.assignment.interval.ms",
            15_000,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Largest assignment interval a share group may be given, in milliseconds.");

    /** Most members of a group. */
    public static final ConfigKey<Integer> MAX_SIZE = ConfigKey.ofInt(
            "group.share.max.size", 200, 1, 1000, Scope.RESTART, "Most members a share group may have (KIP-932).");

    /** Deliveries of one record. */
    public static final ConfigKey<Integer> DELIVERY_COUNT_LIMIT = ConfigKey.ofInt(
            "group.share.delivery.count.limit",
            5,
            2,
            10,
            Scope.RESTART,
            "How many times a record is delivered to a share group until it is given up (KIP-932).");

    /** Smallest delivery limit a group may be configured with. */
    public static final ConfigKey<Integer> MIN_DELIVERY_COUNT_LIMIT = ConfigKey.ofInt(
            "group.share.min.delivery.count.limit",
            2,
            2,
            5,
            Scope.RESTART,
            "Smallest delivery limit a share group may be given (KIP-932).");

    /** Largest delivery limit a group may be configured with. */
    public static final ConfigKey<Integer> MAX_DELIVERY_COUNT_LIMIT = ConfigKey.ofInt(
            "group.share.max.delivery.count.limit",
            10,
            5,
            MOST_DELIVERIES,
            Scope.RESTART,
            "Largest delivery limit a share group may be given (KIP-932).");

    /** How long a record is locked. */
    public static final ConfigKey<Integer> LOCK_DURATION_MS = ConfigKey.ofInt(
            "group.share.record.lock.duration.ms",
            30_000,
            1000,
            3_600_000,
            Scope.RESTART,
            "How long a consumer of a share group may keep a record without acknowledging it until it is delivered again (KIP-932), in milliseconds.");

    /** Shortest lock a group may be configured with. */
    public static final ConfigKey<Integer> MIN_LOCK_DURATION_MS = ConfigKey.ofInt(
            "group.share.min.record.lock.duration.ms",
            15_000,
            1000,
            30_000,
            Scope.RESTART,
            "Shortest record lock a share group may be given (KIP-932), in milliseconds.");

    /** Longest lock a group may be configured with. */
    public static final ConfigKey<Integer> MAX_LOCK_DURATION_MS = ConfigKey.ofInt(
            "group.share.max.record.lock.duration.ms",
            60_000,
            30_000,
            3_600_000,
            Scope.RESTART,
            "Longest record lock a share group may be given (KIP-932), in milliseconds.");

    /** Records in flight in one partition. */
    public static final ConfigKey<Integer> MAX_RECORD_LOCKS = ConfigKey.ofInt(
            "group.share.partition.max.record.locks",
            2000,
            100,
            10_000,
            Scope.RESTART,
            "Most records of a partition that a share group has in flight: from the first that is not settled to the last that was delivered (KIP-932).");

    /** Smallest limit of records in flight a group may be configured with. */
    public static final ConfigKey<Integer> MIN_MAX_RECORD_LOCKS = ConfigKey.ofInt(
            "group.share.min.partition.max.record.locks",
            100,
            100,
            2000,
            Scope.RESTART,
            "Smallest limit of records in flight a share group may be given (KIP-932).");

    /** Largest limit of records in flight a group may be configured with. */
    public static final ConfigKey<Integer> MAX_MAX_RECORD_LOCKS = ConfigKey.ofInt(
            "group.share.max.partition.max.record.locks",
            4000,
            2000,
            10_000,
            Scope.RESTART,
            "Largest limit of records in flight a share group may be given (KIP-932).");

    /** Sessions at a time. */
    public static final ConfigKey<Integer> MAX_SESSIONS = ConfigKey.ofInt(
            "group.share.max.share.sessions",
            2000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Most share sessions at a time: one for each consumer of a share group that fetches from this node (KIP-932).");

    /** Partitions of the topic of share groups' state. */
    public static final ConfigKey<Integer> STATE_PARTITIONS = ConfigKey.ofInt(
            "share.coordinator.state.topic.num.partitions",
            8,
            1,
            1000,
            Scope.RESTART,
            "Partitions that __share_group_state is created with; an existing topic keeps its own number.");

    /** Copies of the topic. */
    public static final ConfigKey<Integer> STATE_REPLICATION = ConfigKey.ofInt(
            "share.coordinator.state.topic.replication.factor",
            3,
            1,
            Short.MAX_VALUE,
            Scope.RESTART,
            "Replication factor that __share_group_state is created with; one node keeps one copy whatever it says.");

    /** Copies that must have a record of it. */
    public static final ConfigKey<Integer> STATE_MIN_ISR = ConfigKey.ofInt(
            "share.coordinator.state.topic.min.isr",
            2,
            1,
            Short.MAX_VALUE,
            Scope.RESTART,
            "The min.insync.replicas that __share_group_state is created with, at most as many as it has copies.");

    /** Segment size of the topic. */
    public static final ConfigKey<Integer> STATE_SEGMENT_BYTES = ConfigKey.ofInt(
            "share.coordinator.state.topic.segment.bytes",
            104_857_600,
            1 << 20,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Segment size that __share_group_state is created with, in bytes.");

    /** How much is read at once while loading. */
    public static final ConfigKey<Integer> LOAD_BUFFER_BYTES = ConfigKey.ofInt(
            "share.coordinator.load.buffer.size",
            1 << 20,
            1,
            1 << 30,
            Scope.RESTART,
            "Bytes read at once while the state of share groups is loaded; a larger batch is read whole.");

    /** Changes between two snapshots. */
    public static final ConfigKey<Integer> SNAPSHOT_UPDATES = ConfigKey.ofInt(
            "share.coordinator.snapshot.update.records.per.snapshot",
            500,
            0,
            500,
            Scope.RESTART,
            "Changes of a share partition's state that are written one by one until all of it is written again.");

    /** How long a write may take to become durable. */
    public static final ConfigKey<Integer> WRITE_TIMEOUT_MS = ConfigKey.ofInt(
            "share.coordinator.write.timeout.ms",
            5000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "How long a change of the state of share groups may take to become durable, in milliseconds.");

    /** Threads of the coordinator. */
    public static final ConfigKey<Integer> COORDINATOR_THREADS = ConfigKey.ofInt(
            "share.coordinator.threads", 1, 1, 64, Scope.RESTART, "Threads that keep the state of share groups.");

    /** How long changes wait for others. */
    public static final ConfigKey<Integer> APPEND_LINGER_MS = ConfigKey.ofInt(
            "share.coordinator.append.linger.ms",
            -1,
            -1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "How long changes of the state of share groups wait for others to be written with, in milliseconds; -1 means as long as pays off.");

    /** Whether dead letter queues come into being by themselves. */
    public static final ConfigKey<Boolean> DEAD_LETTER_AUTO_CREATE = ConfigKey.ofBoolean(
            "errors.deadletterqueue.auto.create.topics.enable",
            false,
            Scope.RESTART,
            "Whether the topic that a share group sends its dead letters to is created when the first one comes (KIP-1191).");

    /** How names of dead letter queues begin. */
    public static final ConfigKey<String> DEAD_LETTER_PREFIX = ConfigKey.ofString(
            "errors.deadletterqueue.topic.name.prefix",
            "dlq.",
            Scope.RESTART,
            "How the names of topics must begin that share groups send their dead letters to (KIP-1191); empty allows all.");

    /** All of them, in the order of the documentation. */
    public static final List<ConfigKey<?>> ALL = List.of(
            SESSION_MS,
            MIN_SESSION_MS,
            MAX_SESSION_MS,
            HEARTBEAT_MS,
            MIN_HEARTBEAT_MS,
            MAX_HEARTBEAT_MS,
            ASSIGNMENT_INTERVAL_MS,
            MIN_ASSIGNMENT_INTERVAL_MS,
            MAX_ASSIGNMENT_INTERVAL_MS,
            MAX_SIZE,
            DELIVERY_COUNT_LIMIT,
            MIN_DELIVERY_COUNT_LIMIT,
            MAX_DELIVERY_COUNT_LIMIT,
            LOCK_DURATION_MS,
            MIN_LOCK_DURATION_MS,
            MAX_LOCK_DURATION_MS,
            MAX_RECORD_LOCKS,
            MIN_MAX_RECORD_LOCKS,
            MAX_MAX_RECORD_LOCKS,
            MAX_SESSIONS,
            STATE_PARTITIONS,
            STATE_REPLICATION,
            STATE_MIN_ISR,
            STATE_SEGMENT_BYTES,
            LOAD_BUFFER_BYTES,
            SNAPSHOT_UPDATES,
            WRITE_TIMEOUT_MS,
            COORDINATOR_THREADS,
            APPEND_LINGER_MS,
            DEAD_LETTER_AUTO_CREATE,
            DEAD_LETTER_PREFIX);

    private ShareGroupKeys() {}
}
