package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import java.util.List;

/** What topics inherit from the node, by Kafka's broker names, and how topics come into being. Almost all of them can be changed while the node runs. */
public final class TopicDefaultKeys {
    /** Whether a topic that a client asks for by name comes into being. */
    public static final ConfigKey<Boolean> AUTO_CREATE_TOPICS_ENABLE = ConfigKey.ofBoolean(
            "auto.create.topics.enable",
            true,
            Scope.RESTART,
            "Whether a topic that a client asks for by name comes into being.");

    /** Default of the topics' compression.gzip.level. */
    public static final ConfigKey<Integer> COMPRESSION_GZIP_LEVEL = defaultOf(
            "compression.gzip.level",
            TopicConfigKeys.COMPRESSION_GZIP_LEVEL,
            "Default of the topics' compression.gzip.level.");

    /** Default of the topics' compression.lz4.level. */
    public static final ConfigKey<Integer> COMPRESSION_LZ4_LEVEL = defaultOf(
            "compression.lz4.level",
            TopicConfigKeys.COMPRESSION_LZ4_LEVEL,
            "Default of the topics' compression.lz4.level.");

    /** Default of the topics' compression.type. */
    public static final ConfigKey<String> COMPRESSION_TYPE =
            defaultOf("compression.type", TopicConfigKeys.COMPRESSION_TYPE, "Default of the topics' compression.type.");

    /** Default of the topics' compression.zstd.level. */
    public static final ConfigKey<Integer> COMPRESSION_ZSTD_LEVEL = defaultOf(
            "compression.zstd.level",
            TopicConfigKeys.COMPRESSION_ZSTD_LEVEL,
            "Default of the topics' compression.zstd.level.");

    /** Copies of a topic whose creator does not say how many. */
    public static final ConfigKey<Integer> DEFAULT_REPLICATION_FACTOR = ConfigKey.ofInt(
            "default.replication.factor",
            1,
            1,
            Short.MAX_VALUE,
            Scope.RESTART,
            "Copies of a topic whose creator does not say how many.");

    /** Whether topics can be deleted. */
    public static final ConfigKey<Boolean> DELETE_TOPIC_ENABLE =
            ConfigKey.ofBoolean("delete.topic.enable", true, Scope.RESTART, "Whether topics can be deleted.");

    /** Default of the topics' delete.retention.ms. */
    public static final ConfigKey<Long> LOG_CLEANER_DELETE_RETENTION_MS = defaultOf(
            "log.cleaner.delete.retention.ms",
            TopicConfigKeys.DELETE_RETENTION_MS,
            "Default of the topics' delete.retention.ms.");

    /** Default of the topics' max.compaction.lag.ms. */
    public static final ConfigKey<Long> LOG_CLEANER_MAX_COMPACTION_LAG_MS = defaultOf(
            "log.cleaner.max.compaction.lag.ms",
            TopicConfigKeys.MAX_COMPACTION_LAG_MS,
            "Default of the topics' max.compaction.lag.ms.");

    /** Default of the topics' min.cleanable.dirty.ratio. */
    public static final ConfigKey<Double> LOG_CLEANER_MIN_CLEANABLE_RATIO = defaultOf(
            "log.cleaner.min.cleanable.ratio",
            TopicConfigKeys.MIN_CLEANABLE_DIRTY_RATIO,
            "Default of the topics' min.cleanable.dirty.ratio.");

    /** Default of the topics' min.compaction.lag.ms. */
    public static final ConfigKey<Long> LOG_CLEANER_MIN_COMPACTION_LAG_MS = defaultOf(
            "log.cleaner.min.compaction.lag.ms",
            TopicConfigKeys.MIN_COMPACTION_LAG_MS,
            "Default of the topics' min.compaction.lag.ms.");

    /** Default of the topics' cleanup.policy. */
    public static final ConfigKey<List<String>> LOG_CLEANUP_POLICY =
            defaultOf("log.cleanup.policy", TopicConfigKeys.CLEANUP_POLICY, "Default of the topics' cleanup.policy.");

    /** Default of the topics' flush.messages. */
    public static final ConfigKey<Long> LOG_FLUSH_INTERVAL_MESSAGES = defaultOf(
            "log.flush.interval.messages", TopicConfigKeys.FLUSH_MESSAGES, "Default of the topics' flush.messages.");

    /** Default of the topics' flush.ms; unset means never. */
    public static final ConfigKey<Long> LOG_FLUSH_INTERVAL_MS = ConfigKey.ofLong(
                    "log.flush.interval.ms",
                    0,
                    0,
                    Long.MAX_VALUE,
                    Scope.DYNAMIC,
                    "Default of the topics' flush.ms; unset means never.")
            .withoutDefault();

    /** Default of the topics' index.interval.bytes. */
    public static final ConfigKey<Integer> LOG_INDEX_INTERVAL_BYTES = defaultOf(
            "log.index.interval.bytes",
            TopicConfigKeys.INDEX_INTERVAL_BYTES,
            "Default of the topics' index.interval.bytes.");

    /** Default of the topics' segment.index.bytes. */
    public static final ConfigKey<Integer> LOG_INDEX_SIZE_MAX_BYTES = defaultOf(
            "log.index.size.max.bytes",
            TopicConfigKeys.SEGMENT_INDEX_BYTES,
            "Default of the topics' segment.index.bytes.");

    /** Default of the topics' message.timestamp.after.max.ms. */
    public static final ConfigKey<Long> LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS = defaultOf(
            "log.message.timestamp.after.max.ms",
            TopicConfigKeys.MESSAGE_TIMESTAMP_AFTER_MAX_MS,
            "Default of the topics' message.timestamp.after.max.ms.");

    /** Default of the topics' message.timestamp.before.max.ms. */
    public static final ConfigKey<Long> LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS = defaultOf(
            "log.message.timestamp.before.max.ms",
            TopicConfigKeys.MESSAGE_TIMESTAMP_BEFORE_MAX_MS,
            "Default of the topics' message.timestamp.before.max.ms.");

    /** Default of the topics' message.timestamp.type. */
    public static final ConfigKey<String> LOG_MESSAGE_TIMESTAMP_TYPE = defaultOf(
            "log.message.timestamp.type",
            TopicConfigKeys.MESSAGE_TIMESTAMP_TYPE,
            "Default of the topics' message.timestamp.type.");

    /** Default of the topics' preallocate. */
    public static final ConfigKey<Boolean> LOG_PREALLOCATE =
            defaultOf("log.preallocate", TopicConfigKeys.PREALLOCATE, "Default of the topics' preallocate.");

    /** Default of the topics' retention.bytes. */
    public static final ConfigKey<Long> LOG_RETENTION_BYTES = defaultOf(
            "log.retention.bytes", TopicConfigKeys.RETENTION_BYTES, "Default of the topics' retention.bytes.");

    /** Default of the topics' retention.ms, in hours; log.retention.minutes and log.retention.ms win over it. */
    public static final ConfigKey<Integer> LOG_RETENTION_HOURS = ConfigKey.ofInt(
            "log.retention.hours",
            168,
            -1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Default of the topics' retention.ms, in hours; log.retention.minutes and "
                    + "log.retention.ms win over it.");

    /** Default of the topics' retention.ms, in minutes; log.retention.ms wins over it. */
    public static final ConfigKey<Integer> LOG_RETENTION_MINUTES = ConfigKey.ofInt(
                    "log.retention.minutes",
                    0,
                    -1,
                    Integer.MAX_VALUE,
                    Scope.RESTART,
                    "Default of the topics' retention.ms, in minutes; log.retention.ms wins over it.")
            .withoutDefault();

    /** Default of the topics' retention.ms; unset means that minutes or hours count. */
    public static final ConfigKey<Long> LOG_RETENTION_MS = ConfigKey.ofLong(
                    "log.retention.ms",
                    0,
                    -1,
                    Long.MAX_VALUE,
                    Scope.DYNAMIC,
                    "Default of the topics' retention.ms; unset means that minutes or hours count.")
            .withoutDefault();

    /** Default of the topics' segment.ms, in hours; log.roll.ms wins over it. */
    public static final ConfigKey<Integer> LOG_ROLL_HOURS = ConfigKey.ofInt(
            "log.roll.hours",
            168,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Default of the topics' segment.ms, in hours; log.roll.ms wins over it.");

    /** Default of the topics' segment.jitter.ms, in hours; log.roll.jitter.ms wins over it. */
    public static final ConfigKey<Integer> LOG_ROLL_JITTER_HOURS = ConfigKey.ofInt(
            "log.roll.jitter.hours",
            0,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Default of the topics' segment.jitter.ms, in hours; log.roll.jitter.ms wins over it.");

    /** Default of the topics' segment.jitter.ms; unset means that hours count. */
    public static final ConfigKey<Long> LOG_ROLL_JITTER_MS = ConfigKey.ofLong(
                    "log.roll.jitter.ms",
                    0,
                    0,
                    Long.MAX_VALUE,
                    Scope.DYNAMIC,
                    "Default of the topics' segment.jitter.ms; unset means that hours count.")
            .withoutDefault();

    /** Default of the topics' segment.ms; unset means that hours count. */
    public static final ConfigKey<Long> LOG_ROLL_MS = ConfigKey.ofLong(
                    "log.roll.ms",
                    0,
                    1,
                    Long.MAX_VALUE,
                    Scope.DYNAMIC,
                    "Default of the topics' segment.ms; unset means that hours count.")
            .withoutDefault();

    /** Default of the topics' segment.bytes. */
    public static final ConfigKey<Integer> LOG_SEGMENT_BYTES =
            defaultOf("log.segment.bytes", TopicConfigKeys.SEGMENT_BYTES, "Default of the topics' segment.bytes.");

    /** Default of the topics' file.delete.delay.ms. */
    public static final ConfigKey<Long> LOG_SEGMENT_DELETE_DELAY_MS = defaultOf(
            "log.segment.delete.delay.ms",
            TopicConfigKeys.FILE_DELETE_DELAY_MS,
            "Default of the topics' file.delete.delay.ms.");

    /** Default of the topics' max.decompressed.message.bytes. */
    public static final ConfigKey<Integer> MAX_DECOMPRESSED_MESSAGE_BYTES = defaultOf(
            "max.decompressed.message.bytes",
            TopicConfigKeys.MAX_DECOMPRESSED_MESSAGE_BYTES,
            "Default of the topics' max.decompressed.message.bytes.");

    /** Default of the topics' max.message.bytes. */
    public static final ConfigKey<Integer> MESSAGE_MAX_BYTES = defaultOf(
            "message.max.bytes", TopicConfigKeys.MAX_MESSAGE_BYTES, "Default of the topics' max.message.bytes.");

    /** Default of the topics' min.insync.replicas. */
    public static final ConfigKey<Integer> MIN_INSYNC_REPLICAS = defaultOf(
            "min.insync.replicas", TopicConfigKeys.MIN_INSYNC_REPLICAS, "Default of the topics' min.insync.replicas.");

    /** Partitions of a topic whose creator does not say how many. */
    public static final ConfigKey<Integer> NUM_PARTITIONS = ConfigKey.ofInt(
            "num.partitions",
            1,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Partitions of a topic whose creator does not say how many.");

    /** Default of the topics' sluice.durability. */
    public static final ConfigKey<String> DURABILITY =
            defaultOf("sluice.durability", TopicConfigKeys.DURABILITY, "Default of the topics' sluice.durability.");

    /** Partitions that all topics of the node may have together; a creation beyond it is refused. */
    public static final ConfigKey<Integer> MAX_PARTITIONS = ConfigKey.ofInt(
            "sluice.max.partitions",
            100000,
            1,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Partitions that all topics of the node may have together; a creation beyond it is " + "refused.");

    /** Default of the topics' unclean.leader.election.enable. */
    public static final ConfigKey<Boolean> UNCLEAN_LEADER_ELECTION_ENABLE = defaultOf(
            "unclean.leader.election.enable",
            TopicConfigKeys.UNCLEAN_LEADER_ELECTION_ENABLE,
            "Default of the topics' unclean.leader.election.enable.");

    /** All of them. */
    static final List<ConfigKey<?>> ALL = List.of(
            AUTO_CREATE_TOPICS_ENABLE,
            COMPRESSION_GZIP_LEVEL,
            COMPRESSION_LZ4_LEVEL,
            COMPRESSION_TYPE,
            COMPRESSION_ZSTD_LEVEL,
            DEFAULT_REPLICATION_FACTOR,
            DELETE_TOPIC_ENABLE,
            LOG_CLEANER_DELETE_RETENTION_MS,
            LOG_CLEANER_MAX_COMPACTION_LAG_MS,
            LOG_CLEANER_MIN_CLEANABLE_RATIO,
            LOG_CLEANER_MIN_COMPACTION_LAG_MS,
            LOG_CLEANUP_POLICY,
            LOG_FLUSH_INTERVAL_MESSAGES,
            LOG_FLUSH_INTERVAL_MS,
            LOG_INDEX_INTERVAL_BYTES,
            LOG_INDEX_SIZE_MAX_BYTES,
            LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS,
            LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS,
            LOG_MESSAGE_TIMESTAMP_TYPE,
            LOG_PREALLOCATE,
            LOG_RETENTION_BYTES,
            LOG_RETENTION_HOURS,
            LOG_RETENTION_MINUTES,
            LOG_RETENTION_MS,
            LOG_ROLL_HOURS,
            LOG_ROLL_JITTER_HOURS,
            LOG_ROLL_JITTER_MS,
            LOG_ROLL_MS,
            LOG_SEGMENT_BYTES,
            LOG_SEGMENT_DELETE_DELAY_MS,
            MAX_DECOMPRESSED_MESSAGE_BYTES,
            MESSAGE_MAX_BYTES,
            MIN_INSYNC_REPLICAS,
            NUM_PARTITIONS,
            DURABILITY,
            MAX_PARTITIONS,
            UNCLEAN_LEADER_ELECTION_ENABLE);

    private TopicDefaultKeys() {}

    private static <T> ConfigKey<T> defaultOf(String name, ConfigKey<T> topicKey, String doc) {
        return new ConfigKey<>(
                name,
                topicKey.type(),
                topicKey.defaultText(),
                topicKey.allowed(),
                topicKey.parser(),
                Scope.DYNAMIC,
                doc);
    }
}
