package io.sluice.protocol.record;

import org.jspecify.annotations.Nullable;

/**
 * What a topic demands of a producer's batch.
 *
 * @param maxBatchBytes largest batch, as sent and as stored
 * @param storedCodec codec to store in, null for the producer's own
 * @param compressionLevel level for {@code storedCodec}, null for the codec's default
 * @param keysRequired whether every record must have a key (compacted topics)
 * @param logAppendTime whether records get the time of the append
 * @param timestampBeforeMaxMillis how far a record's own time may be behind the clock
 * @param timestampAfterMaxMillis how far it may be ahead
 * @param maxExpandedBytes most bytes that a batch may expand to where it is decompressed; {@link
 *     RecordCursor#expansionLimit} holds in any case
 */
public record BatchRules(
        int maxBatchBytes,
        @Nullable CompressionCodec storedCodec,
        @Nullable Integer compressionLevel,
        boolean keysRequired,
        boolean logAppendTime,
        long timestampBeforeMaxMillis,
        long timestampAfterMaxMillis,
        int maxExpandedBytes) {
    /** Kafka's default for {@code max.message.bytes}. */
    public static final int DEFAULT_MAX_BATCH_BYTES = 1_048_588;
    /** Kafka's default for {@code message.timestamp.after.max.ms}. */
    public static final long DEFAULT_TIMESTAMP_AFTER_MAX_MILLIS = 3_600_000;

    /** The rules of a topic with no setting of its own. */
    public static final BatchRules DEFAULT = new BatchRules(
            DEFAULT_MAX_BATCH_BYTES,
            null,
            null,
            false,
            false,
            Long.MAX_VALUE,
            DEFAULT_TIMESTAMP_AFTER_MAX_MILLIS,
            Integer.MAX_VALUE);

    /** Whether a batch must be stored in another codec than the one it came in. */
    boolean converts(CompressionCodec from) {
        return storedCodec != null && storedCodec != from;
    }

    /** Whether a record's own time is allowed. No time at all always is. */
    boolean allows(long timestamp, long nowMillis) {
        if (timestamp == BatchView.NO_TIMESTAMP) {
            return true;
        }
        long behind = nowMillis - timestamp;
        return behind <= timestampBeforeMaxMillis && -behind <= timestampAfterMaxMillis;
    }
}
