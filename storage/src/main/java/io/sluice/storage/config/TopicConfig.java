package io.sluice.storage.config;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigValues;
import java.util.List;
import java.util.Map;

/**
 * The settings of one topic with everything resolved: the topic's own, else the node's, else Kafka's default. Parsed
 * once; the getters are plain fields. Immutable.
 *
 * <p>Times are milliseconds, sizes bytes; a bound that does not exist is {@link Long#MAX_VALUE}, whatever the text says
 * ("-1").
 */
public final class TopicConfig {
    private final boolean compacted;
    private final boolean deleted;
    private final boolean memory;
    private final String compressionType;
    private final int compressionLevel;
    private final long deleteRetentionMillis;
    private final long flushRecords;
    private final long flushMillis;
    private final int indexIntervalBytes;
    private final long maxCompactionLagMillis;
    private final int maxDecompressedBatchBytes;
    private final int maxBatchBytes;
    private final long timestampAfterMaxMillis;
    private final long timestampBeforeMaxMillis;
    private final boolean logAppendTime;
    private final double minCleanableDirtyRatio;
    private final long minCompactionLagMillis;
    private final long retentionBytes;
    private final long retentionMillis;
    private final int segmentBytes;
    private final int segmentIndexBytes;
    private final long segmentJitterMillis;
    private final long segmentMillis;

    private final boolean takesDeadLetters;

    private TopicConfig(ConfigValues values) {
        List<String> policy = values.get(TopicConfigKeys.CLEANUP_POLICY);
        compacted = policy.contains("compact");
        deleted = policy.contains("delete");
        memory = values.get(TopicConfigKeys.DURABILITY).equals("memory");
        compressionType = values.get(TopicConfigKeys.COMPRESSION_TYPE);
        compressionLevel = compressionLevel(compressionType, values);
        takesDeadLetters = values.get(TopicConfigKeys.DEAD_LETTER_QUEUE_GROUP_ENABLE);
        deleteRetentionMillis = values.get(TopicConfigKeys.DELETE_RETENTION_MS);
        flushRecords = values.get(TopicConfigKeys.FLUSH_MESSAGES);
        flushMillis = values.get(TopicConfigKeys.FLUSH_MS);
        indexIntervalBytes = values.get(TopicConfigKeys.INDEX_INTERVAL_BYTES);
        maxCompactionLagMillis = values.get(TopicConfigKeys.MAX_COMPACTION_LAG_MS);
        maxDecompressedBatchBytes = values.get(TopicConfigKeys.MAX_DECOMPRESSED_MESSAGE_BYTES);
        maxBatchBytes = values.get(TopicConfigKeys.MAX_MESSAGE_BYTES);
        timestampAfterMaxMillis = values.get(TopicConfigKeys.MESSAGE_TIMESTAMP_AFTER_MAX_MS);
        timestampBeforeMaxMillis = values.get(TopicConfigKeys.MESSAGE_TIMESTAMP_BEFORE_MAX_MS);
        logAppendTime = values.get(TopicConfigKeys.MESSAGE_TIMESTAMP_TYPE).equals("LogAppendTime");
        minCleanableDirtyRatio = values.get(TopicConfigKeys.MIN_CLEANABLE_DIRTY_RATIO);
        minCompactionLagMillis = values.get(TopicConfigKeys.MIN_COMPACTION_LAG_MS);
        retentionBytes = unboundedIfNegative(values.get(TopicConfigKeys.RETENTION_BYTES));
        retentionMillis = unboundedIfNegative(values.get(TopicConfigKeys.RETENTION_MS));
        segmentBytes = values.get(TopicConfigKeys.SEGMENT_BYTES);
        segmentIndexBytes = values.get(TopicConfigKeys.SEGMENT_INDEX_BYTES);
        segmentJitterMillis = values.get(TopicConfigKeys.SEGMENT_JITTER_MS);
        segmentMillis = values.get(TopicConfigKeys.SEGMENT_MS);
    }

    /**
     * Reads settings by Kafka's names; what is not set has Kafka's default. For the node's defaults see {@link
     * TopicDefaults#topicConfig}.
     *
     * @throws ConfigException for an unknown key, a value not allowed, or two values that contradict each other
     */
    public static TopicConfig parse(Map<String, String> texts) {
        TopicConfig config = new TopicConfig(TopicConfigKeys.SCHEMA.read(texts));
        if (config.minCompactionLagMillis > config.maxCompactionLagMillis) {
            throw new ConfigException("Invalid value '" + config.minCompactionLagMillis
                    + "' for min.compaction.lag.ms: it must not be above max.compaction.lag.ms, which is "
                    + config.maxCompactionLagMillis + ".");
        }
        return config;
    }

    private static int compressionLevel(String type, ConfigValues values) {
        return switch (type) {
            case "gzip" -> values.get(TopicConfigKeys.COMPRESSION_GZIP_LEVEL);
            case "lz4" -> values.get(TopicConfigKeys.COMPRESSION_LZ4_LEVEL);
            case "zstd" -> values.get(TopicConfigKeys.COMPRESSION_ZSTD_LEVEL);
            default -> 0;
        };
    }

    private static long unboundedIfNegative(long value) {
        return value < 0 ? Long.MAX_VALUE : value;
    }

    /** Whether share groups may send here what they have given up. */
    public boolean takesDeadLetters() {
        return takesDeadLetters;
    }

    /** Whether the cleaner keeps only the newest record of each key. */
    public boolean compacted() {
        return compacted;
    }

    /** Whether segments are deleted by age and size. */
    public boolean deletedByRetention() {
        return deleted;
    }

    /** Whether a record counts as durable once it is in the segment ({@code sluice.durability=memory}). */
    public boolean memoryDurability() {
        return memory;
    }

    /** Codec to store batches in: uncompressed, zstd, lz4, snappy, gzip, or producer for as they come. */
    public String compressionType() {
        return compressionType;
    }

    /** Level for {@link #compressionType()}; -1 is gzip's own default; 0 where the codec has none. */
    public int compressionLevel() {
        return compressionLevel;
    }

    /** How long a tombstone stays. */
    public long deleteRetentionMillis() {
        return deleteRetentionMillis;
    }

    /** Records after which a segment that bypasses the journal is forced. */
    public long flushRecords() {
        return flushRecords;
    }

    /** Time after which a segment that bypasses the journal is forced. */
    public long flushMillis() {
        return flushMillis;
    }

    /** Bytes between two index entries. */
    public int indexIntervalBytes() {
        return indexIntervalBytes;
    }

    /** Longest time a record stays out of the cleaner's reach. */
    public long maxCompactionLagMillis() {
        return maxCompactionLagMillis;
    }

    /** Largest size a batch may expand to. */
    public int maxDecompressedBatchBytes() {
        return maxDecompressedBatchBytes;
    }

    /** Largest batch as sent ({@code max.message.bytes}). */
    public int maxBatchBytes() {
        return maxBatchBytes;
    }

    /** How far a create time may be ahead of the clock. */
    public long timestampAfterMaxMillis() {
        return timestampAfterMaxMillis;
    }

    /** How far a create time may be behind the clock. */
    public long timestampBeforeMaxMillis() {
        return timestampBeforeMaxMillis;
    }

    /** Whether batches get the time of their append. */
    public boolean logAppendTime() {
        return logAppendTime;
    }

    /** Share of dirty bytes from which the cleaner works. */
    public double minCleanableDirtyRatio() {
        return minCleanableDirtyRatio;
    }

    /** How long a record is safe from the cleaner. */
    public long minCompactionLagMillis() {
        return minCompactionLagMillis;
    }

    /** Bytes above which the oldest segments go. */
    public long retentionBytes() {
        return retentionBytes;
    }

    /** Age of its newest record from which a segment goes. */
    public long retentionMillis() {
        return retentionMillis;
    }

    /** Largest segment. */
    public int segmentBytes() {
        return segmentBytes;
    }

    /** Largest index, at 8 bytes for an entry. */
    public int segmentIndexBytes() {
        return segmentIndexBytes;
    }

    /** Longest random time taken off {@link #segmentMillis()}. */
    public long segmentJitterMillis() {
        return segmentJitterMillis;
    }

    /** Age at which the active segment ends. */
    public long segmentMillis() {
        return segmentMillis;
    }
}
