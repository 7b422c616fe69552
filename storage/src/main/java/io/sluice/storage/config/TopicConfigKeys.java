package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import io.sluice.base.config.ConfigSchema;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Every setting that a topic can have: Kafka 4.4's, by its names, with its defaults and its limits, and {@code
 * sluice.durability}. All of them take effect at once. The default written here is the last resort: the node's own
 * settings come first, see {@link TopicDefaults}.
 */
public final class TopicConfigKeys {
    /** What becomes of old records. */
    public static final ConfigKey<List<String>> CLEANUP_POLICY = ConfigKey.ofListOf(
            "cleanup.policy",
            "delete",
            List.of("compact", "delete"),
            Scope.DYNAMIC,
            "What becomes of old records: delete drops whole segments by age and size, compact keeps the newest record of"
                    + " each key; empty keeps everything.");

    /** Level of gzip. */
    public static final ConfigKey<Integer> COMPRESSION_GZIP_LEVEL = new ConfigKey<>(
            "compression.gzip.level",
            ConfigKey.Type.INT,
            "-1",
            "1 to 9, or -1 for the library's choice",
            TopicConfigKeys::parseGzipLevel,
            Scope.DYNAMIC,
            "Level at which the broker compresses where compression.type is gzip.");

    /** Level of lz4. */
    public static final ConfigKey<Integer> COMPRESSION_LZ4_LEVEL = ConfigKey.ofInt(
            "compression.lz4.level",
            9,
            1,
            17,
            Scope.DYNAMIC,
            "Level at which the broker compresses where compression.type is lz4.");

    /** The codec batches are stored in. */
    public static final ConfigKey<String> COMPRESSION_TYPE = ConfigKey.ofChoice(
            "compression.type",
            "producer",
            List.of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
            Scope.DYNAMIC,
            "Codec that batches are stored in; producer keeps what the producer chose and costs no CPU.");

    /** Level of zstd. */
    public static final ConfigKey<Integer> COMPRESSION_ZSTD_LEVEL = ConfigKey.ofInt(
            "compression.zstd.level",
            3,
            -131072,
            22,
            Scope.DYNAMIC,
            "Level at which the broker compresses where compression.type is zstd.");

    /** How long tombstones stay. */
    public static final ConfigKey<Long> DELETE_RETENTION_MS = atLeast(
            "delete.retention.ms",
            86_400_000,
            0,
            "Milliseconds that a tombstone stays in a compacted topic, so that readers from the start see the deletion.");

    /** Whether share groups may send dead letters here. */
    public static final ConfigKey<Boolean> DEAD_LETTER_QUEUE_GROUP_ENABLE = ConfigKey.ofBoolean(
            "errors.deadletterqueue.group.enable",
            false,
            Scope.DYNAMIC,
            "Whether share groups may send here the records that they have given up (KIP-1191).");

    /** How long the files of a deleted segment stay. */
    public static final ConfigKey<Long> FILE_DELETE_DELAY_MS = atLeast(
            "file.delete.delay.ms",
            60_000,
            0,
            "Milliseconds before the files of a deleted segment go. Kept, without effect: they are unlinked at once, and who"
                    + " is reading one reads on.");

    /** Records between flushes of the segment itself. */
    public static final ConfigKey<Long> FLUSH_MESSAGES = atLeast(
            "flush.messages",
            Long.MAX_VALUE,
            1,
            "Records after which the segments of a topic with sluice.durability=memory are forced to the disk, in the"
                    + " background. Without effect with sluice.durability=disk: there every acknowledged record is flushed.");

    /** Time between flushes of the segment itself. */
    public static final ConfigKey<Long> FLUSH_MS = atLeast(
            "flush.ms",
            Long.MAX_VALUE,
            0,
            "Milliseconds after which the segments of a topic with sluice.durability=memory are forced to the disk, in the"
                    + " background. Without effect with sluice.durability=disk: there every acknowledged record is flushed.");

    /** Kafka's throttle list, kept. */
    public static final ConfigKey<List<String>> FOLLOWER_THROTTLED =
            throttled("follower.replication.throttled.replicas");

    /** Bytes between index entries. */
    public static final ConfigKey<Integer> INDEX_INTERVAL_BYTES = ConfigKey.ofInt(
            "index.interval.bytes",
            4096,
            0,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Bytes of records between two entries of a segment's index.");

    /** Kafka's throttle list, kept. */
    public static final ConfigKey<List<String>> LEADER_THROTTLED = throttled("leader.replication.throttled.replicas");

    /** Tiered storage, kept. */
    public static final ConfigKey<Long> LOCAL_RETENTION_BYTES = atLeast(
            "local.retention.bytes",
            -2,
            -2,
            "Bytes kept on the node's own disk where storage is tiered; -2 means retention.bytes. Kept, without effect.");

    /** Tiered storage, kept. */
    public static final ConfigKey<Long> LOCAL_RETENTION_MS = atLeast(
            "local.retention.ms",
            -2,
            -2,
            "Milliseconds kept on the node's own disk where storage is tiered; -2 means retention.ms. Kept, without"
                    + " effect.");

    /** When a record must have been compacted. */
    public static final ConfigKey<Long> MAX_COMPACTION_LAG_MS = atLeast(
            "max.compaction.lag.ms",
            Long.MAX_VALUE,
            1,
            "Longest time in milliseconds for which a record of a compacted topic may stay out of reach of the cleaner.");

    /** Largest batch once decompressed. */
    public static final ConfigKey<Integer> MAX_DECOMPRESSED_MESSAGE_BYTES = ConfigKey.ofInt(
            "max.decompressed.message.bytes",
            2147483639,
            1,
            2147483639,
            Scope.DYNAMIC,
            "Largest size in bytes that a batch may expand to where the broker has to decompress it.");

    /** Largest batch. */
    public static final ConfigKey<Integer> MAX_MESSAGE_BYTES = ConfigKey.ofInt(
            "max.message.bytes",
            1_048_588,
            0,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Largest record batch in bytes, as sent, compressed.");

    /** How far ahead a timestamp may be. */
    public static final ConfigKey<Long> MESSAGE_TIMESTAMP_AFTER_MAX_MS = atLeast(
            "message.timestamp.after.max.ms",
            3_600_000,
            0,
            "Milliseconds that a record's timestamp may be ahead of the broker's clock where timestamps are CreateTime.");

    /** How far back a timestamp may be. */
    public static final ConfigKey<Long> MESSAGE_TIMESTAMP_BEFORE_MAX_MS = atLeast(
            "message.timestamp.before.max.ms",
            Long.MAX_VALUE,
            0,
            "Milliseconds that a record's timestamp may be behind the broker's clock where timestamps are CreateTime.");

    /** Whose clock. */
    public static final ConfigKey<String> MESSAGE_TIMESTAMP_TYPE = ConfigKey.ofChoice(
            "message.timestamp.type",
            "CreateTime",
            List.of("CreateTime", "LogAppendTime"),
            Scope.DYNAMIC,
            "Whether a record carries the time at which its producer made it or the time of its append.");

    /** When the cleaner starts. */
    public static final ConfigKey<Double> MIN_CLEANABLE_DIRTY_RATIO = ConfigKey.ofDouble(
            "min.cleanable.dirty.ratio",
            0.5,
            0,
            1,
            Scope.DYNAMIC,
            "Share of a compacted log that must be new since the last cleaning before it is cleaned again.");

    /** How long a record is safe from the cleaner. */
    public static final ConfigKey<Long> MIN_COMPACTION_LAG_MS = atLeast(
            "min.compaction.lag.ms", 0, 0, "Milliseconds for which a record of a compacted topic is left alone.");

    /** Copies that must have a record. */
    public static final ConfigKey<Integer> MIN_INSYNC_REPLICAS = ConfigKey.ofInt(
            "min.insync.replicas",
            1,
            1,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Copies that must hold a record before it is acknowledged. Kept, without effect: one node has one copy.");

    /** Whether segment files are preallocated. */
    public static final ConfigKey<Boolean> PREALLOCATE = ConfigKey.ofBoolean(
            "preallocate",
            false,
            Scope.DYNAMIC,
            "Whether the file of a new segment gets its full size at once. Kept, without effect: what acknowledgements wait"
                    + " for is the journal, and its files are always filled beforehand.");

    /** Tiered storage, kept. */
    public static final ConfigKey<Long> REMOTE_COPY_LAG_BYTES = atLeast(
            "remote.copy.lag.bytes",
            -1,
            -1,
            "Bytes that stay uncopied where storage is tiered; -1 means no bound. Kept, without effect.");

    /** Tiered storage, kept. */
    public static final ConfigKey<Long> REMOTE_COPY_LAG_MS = atLeast(
            "remote.copy.lag.ms",
            0,
            -1,
            "Milliseconds before a segment is copied where storage is tiered. Kept, without effect.");

    /** Tiered storage, kept. */
    public static final ConfigKey<Boolean> REMOTE_LOG_COPY_DISABLE = ConfigKey.ofBoolean(
            "remote.log.copy.disable",
            false,
            Scope.DYNAMIC,
            "Whether copying stops where storage is tiered. Kept, without effect.");

    /** Tiered storage, kept. */
    public static final ConfigKey<Boolean> REMOTE_LOG_DELETE_ON_DISABLE = ConfigKey.ofBoolean(
            "remote.log.delete.on.disable",
            false,
            Scope.DYNAMIC,
            "Whether copies go when tiered storage is switched off. Kept, without effect.");

    /** Tiered storage: not here. */
    public static final ConfigKey<Boolean> REMOTE_STORAGE_ENABLE = new ConfigKey<>(
            "remote.storage.enable",
            ConfigKey.Type.BOOLEAN,
            "false",
            "false (there is no tiered storage)",
            TopicConfigKeys::parseRemoteStorage,
            Scope.DYNAMIC,
            "Whether segments are copied to a remote store; this broker has none, so only false is accepted.");

    /** Largest size of a partition. */
    public static final ConfigKey<Long> RETENTION_BYTES = atLeast(
            "retention.bytes",
            -1,
            Long.MIN_VALUE,
            "Bytes of a partition above which its oldest segments are deleted; a negative number means no bound.");

    /** Longest life of a segment. */
    public static final ConfigKey<Long> RETENTION_MS = atLeast(
            "retention.ms",
            604_800_000,
            -1,
            "Milliseconds after its newest record for which a segment is kept; -1 means for ever.");

    /** Size of a segment. */
    public static final ConfigKey<Integer> SEGMENT_BYTES = ConfigKey.ofInt(
            "segment.bytes", 1 << 30, 1 << 20, Integer.MAX_VALUE, Scope.DYNAMIC, "Largest size of a segment in bytes.");

    /** Size of an index. */
    public static final ConfigKey<Integer> SEGMENT_INDEX_BYTES = ConfigKey.ofInt(
            "segment.index.bytes",
            10_485_760,
            4,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Largest size of a segment's index in bytes, at 8 bytes for an entry; a segment ends when its index is full. An"
                    + " index has at most 4,096 entries, of which it then drops every second one: 32769 and more have no"
                    + " effect.");

    /** Spread of segment ends. */
    public static final ConfigKey<Long> SEGMENT_JITTER_MS = atLeast(
            "segment.jitter.ms",
            0,
            0,
            "Longest random time in milliseconds taken off segment.ms, so that not all segments end together.");

    /** Life of an active segment. */
    public static final ConfigKey<Long> SEGMENT_MS = atLeast(
            "segment.ms",
            604_800_000,
            1,
            "Milliseconds after which a segment ends although it is not full, so that retention can take it.");

    /** When a record counts as durable. */
    public static final ConfigKey<String> DURABILITY = ConfigKey.ofChoice(
            "sluice.durability",
            "disk",
            List.of("disk", "memory"),
            Scope.DYNAMIC,
            "When a record may be acknowledged: disk, once it survives a power cut; memory, once the operating system has"
                    + " it.");

    /** Kafka's unclean election, kept. */
    public static final ConfigKey<Boolean> UNCLEAN_LEADER_ELECTION_ENABLE = ConfigKey.ofBoolean(
            "unclean.leader.election.enable",
            false,
            Scope.DYNAMIC,
            "Whether a copy that lacks acknowledged records may serve. Kept, without effect: no such copy ever serves.");

    /** All of them. */
    public static final ConfigSchema SCHEMA = ConfigSchema.of(List.of(
            CLEANUP_POLICY,
            COMPRESSION_GZIP_LEVEL,
            COMPRESSION_LZ4_LEVEL,
            COMPRESSION_TYPE,
            COMPRESSION_ZSTD_LEVEL,
            DELETE_RETENTION_MS,
            DEAD_LETTER_QUEUE_GROUP_ENABLE,
            FILE_DELETE_DELAY_MS,
            FLUSH_MESSAGES,
            FLUSH_MS,
            FOLLOWER_THROTTLED,
            INDEX_INTERVAL_BYTES,
            LEADER_THROTTLED,
            LOCAL_RETENTION_BYTES,
            LOCAL_RETENTION_MS,
            MAX_COMPACTION_LAG_MS,
            MAX_DECOMPRESSED_MESSAGE_BYTES,
            MAX_MESSAGE_BYTES,
            MESSAGE_TIMESTAMP_AFTER_MAX_MS,
            MESSAGE_TIMESTAMP_BEFORE_MAX_MS,
            MESSAGE_TIMESTAMP_TYPE,
            MIN_CLEANABLE_DIRTY_RATIO,
            MIN_COMPACTION_LAG_MS,
            MIN_INSYNC_REPLICAS,
            PREALLOCATE,
            REMOTE_COPY_LAG_BYTES,
            REMOTE_COPY_LAG_MS,
            REMOTE_LOG_COPY_DISABLE,
            REMOTE_LOG_DELETE_ON_DISABLE,
            REMOTE_STORAGE_ENABLE,
            RETENTION_BYTES,
            RETENTION_MS,
            SEGMENT_BYTES,
            SEGMENT_INDEX_BYTES,
            SEGMENT_JITTER_MS,
            SEGMENT_MS,
            DURABILITY,
            UNCLEAN_LEADER_ELECTION_ENABLE));

    private static final Pattern REPLICA = Pattern.compile("\\d+:\\d+");

    private TopicConfigKeys() {}

    private static ConfigKey<Long> atLeast(String name, long defaultValue, long min, String doc) {
        return ConfigKey.ofLong(name, defaultValue, min, Long.MAX_VALUE, Scope.DYNAMIC, doc);
    }

    private static ConfigKey<List<String>> throttled(String name) {
        return new ConfigKey<>(
                name,
                ConfigKey.Type.LIST,
                "",
                "* or partition:node pairs separated by commas",
                TopicConfigKeys::parseReplicas,
                Scope.DYNAMIC,
                "Replicas whose replication is throttled. Kept, without effect.");
    }

    private static List<String> parseReplicas(String text) {
        List<String> replicas = ConfigKey.split(text);
        boolean all = replicas.equals(List.of("*"));
        if (!all && !replicas.stream().allMatch(word -> REPLICA.matcher(word).matches())) {
            throw new IllegalArgumentException("neither * nor pairs");
        }
        return replicas;
    }

    private static int parseGzipLevel(String text) {
        int level = Integer.parseInt(text.trim());
        if (level != -1 && (level < 1 || level > 9)) {
            throw new IllegalArgumentException("out of range");
        }
        return level;
    }

    private static boolean parseRemoteStorage(String text) {
        if (!text.trim().equalsIgnoreCase("false")) {
            throw new IllegalArgumentException("no remote storage");
        }
        return false;
    }
}
