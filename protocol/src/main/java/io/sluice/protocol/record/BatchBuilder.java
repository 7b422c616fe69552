package io.sluice.protocol.record;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes one batch: give it the header's fields, append records, {@link #finish}. Records go straight to the output, or
 * through the compressor, so memory holds one record and the compressed bytes. Use one builder for one batch; the output
 * stays the caller's. Without a base timestamp the first record's is taken.
 */
public final class BatchBuilder {
    private static final int RECORD_BYTES = 256;

    private final ByteBuf out;
    private final int start;
    private final CompressionCodec codec;
    private final @Nullable Integer compressionLevel;
    private final BatchView view = new BatchView();

    private long baseOffset;
    private long baseTimestamp = BatchView.NO_TIMESTAMP;
    private boolean baseTimestampGiven;
    private int leaderEpoch = -1;
    private long producerId = BatchView.NO_PRODUCER_ID;
    private short producerEpoch = -1;
    private int baseSequence = -1;
    private int flags;
    private long logAppendTime = BatchView.NO_TIMESTAMP;

    private CodecStreams.@Nullable Sink sink;
    private final ByteBuf record = Unpooled.buffer(RECORD_BYTES);
    private final ByteBuf recordLength = Unpooled.buffer(Varint.MAX_INT_BYTES);
    private int count;
    private long lastOffset = -1;
    private long maxTimestamp = BatchView.NO_TIMESTAMP;

    /**
     * A builder of a batch that begins at the output's writer index.
     *
     * @param out grows as needed; the caller's
     */
    public BatchBuilder(ByteBuf out, CompressionCodec codec) {
        this(out, codec, null);
    }

    /**
     * A builder of a batch that begins at the output's writer index.
     *
     * @param out grows as needed; the caller's
     * @param compressionLevel null for the codec's default; must be one that the codec has
     */
    public BatchBuilder(ByteBuf out, CompressionCodec codec, @Nullable Integer compressionLevel) {
        this.out = out;
        this.compressionLevel = compressionLevel;
        this.codec = codec;
        start = out.writerIndex();
        out.writeZero(BatchView.HEADER_BYTES);
    }

    /** Sets the offset that record offsets are relative to; 0 if not called. */
    public BatchBuilder baseOffset(long offset) {
        requireNoRecords();
        baseOffset = offset;
        return this;
    }

    /** Sets the time that record timestamps are relative to. */
    public BatchBuilder baseTimestamp(long timestamp) {
        requireNoRecords();
        baseTimestamp = timestamp;
        baseTimestampGiven = true;
        return this;
    }

    /** Sets the base timestamp to the time from which tombstones and markers in the batch may be dropped (KIP-534). */
    public BatchBuilder deleteHorizon(long epochMillis) {
        flags |= BatchView.DELETE_HORIZON_BIT;
        return baseTimestamp(epochMillis);
    }

    /** Sets the leader epoch; -1 if not called. */
    public BatchBuilder leaderEpoch(int epoch) {
        leaderEpoch = epoch;
        return this;
    }

    /** Sets who produced it and the sequence number of its first record. */
    public BatchBuilder producer(long id, short epoch, int firstSequence) {
        producerId = id;
        producerEpoch = epoch;
        baseSequence = firstSequence;
        return this;
    }

    /** Marks it as part of a transaction. */
    public BatchBuilder transactional(boolean is) {
        flags = is ? flags | BatchView.TRANSACTIONAL_BIT : flags & ~BatchView.TRANSACTIONAL_BIT;
        return this;
    }

    /** Marks it as holding control records. */
    public BatchBuilder control(boolean is) {
        flags = is ? flags | BatchView.CONTROL_BIT : flags & ~BatchView.CONTROL_BIT;
        return this;
    }

    /** Gives all records one time, that of the append. */
    public BatchBuilder logAppendTime(long epochMillis) {
        flags |= BatchView.LOG_APPEND_TIME_BIT;
        logAppendTime = epochMillis;
        return this;
    }

    /** Gives all records one time, that of the append, or leaves each its own. */
    BatchBuilder timestamps(boolean appendTime, long epochMillis) {
        flags &= ~BatchView.LOG_APPEND_TIME_BIT;
        return appendTime ? logAppendTime(epochMillis) : this;
    }

    /** Takes base offset, leader epoch, producer and flags, and the append time where it has one, from another batch. */
    public BatchBuilder like(BatchView other) {
        baseOffset(other.baseOffset());
        leaderEpoch(other.leaderEpoch());
        producer(other.producerId(), other.producerEpoch(), other.baseSequence());
        transactional(other.isTransactional());
        control(other.isControl());
        if (other.isLogAppendTime()) {
            logAppendTime(other.maxTimestamp());
        }
        return this;
    }

    /** Appends a record without headers at the next offset. */
    public BatchBuilder append(long timestamp, byte @Nullable [] key, byte @Nullable [] value) {
        return append(count == 0 ? baseOffset : lastOffset + 1, timestamp, key, value);
    }

    /**
     * Appends a record without headers.
     *
     * @param offset above the last one's
     */
    public BatchBuilder append(long offset, long timestamp, byte @Nullable [] key, byte @Nullable [] value) {
        ByteBuf body = beginRecord(offset, timestamp);
        writeBytes(body, key);
        writeBytes(body, value);
        Varint.write(body, 0);
        endRecord(body, offset, timestamp);
        return this;
    }

    /**
     * Appends the record a cursor stands at, key, value and headers as they are.
     *
     * @param offset above the last one's
     * @param timestamp its own, where the batch has no append time
     */
    public BatchBuilder append(long offset, long timestamp, RecordCursor cursor) {
        ByteBuf body = beginRecord(offset, timestamp);
        Varint.write(body, cursor.keyLength());
        body.writeBytes(cursor.bytes(), cursor.keyIndex(), Math.max(0, cursor.keyLength()));
        Varint.write(body, cursor.valueLength());
        body.writeBytes(cursor.bytes(), cursor.valueIndex(), Math.max(0, cursor.valueLength()));
        int headersEnd = cursor.recordIndex() + cursor.recordLength();
        body.writeBytes(cursor.bytes(), cursor.headersIndex(), headersEnd - cursor.headersIndex());
        endRecord(body, offset, timestamp);
        return this;
    }

    private ByteBuf beginRecord(long offset, long timestamp) {
        if (count > 0 ? offset <= lastOffset : offset < baseOffset) {
            throw new IllegalArgumentException("offset " + offset + " does not grow");
        }
        if (!baseTimestampGiven) {
            baseTimestamp(timestamp);
        }
        ByteBuf body = record.clear();
        body.writeByte(0);
        Varint.write(body, timestamp - baseTimestamp);
        Varint.write(body, offset - baseOffset);
        return body;
    }

    private void endRecord(ByteBuf body, long offset, long timestamp) {
        if (codec == CompressionCodec.NONE) {
            Varint.write(out, body.readableBytes());
            out.writeBytes(body);
        } else {
            compress(body);
        }
        count++;
        lastOffset = offset;
        maxTimestamp = Math.max(maxTimestamp, timestamp);
    }

    private void compress(ByteBuf body) {
        CodecStreams.Sink to = openSink(body.readableBytes());
        try {
            Varint.write(recordLength.clear(), body.readableBytes());
            recordLength.readBytes(to.stream(), recordLength.readableBytes());
            body.readBytes(to.stream(), body.readableBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("compressing into memory failed", e);
        }
    }

    private CodecStreams.Sink openSink(int expectedBytes) {
        if (sink == null) {
            sink = new CodecStreams.Sink(codec, compressionLevel, expectedBytes);
        }
        return sink;
    }

    private static void writeBytes(ByteBuf to, byte @Nullable [] bytes) {
        if (bytes == null) {
            Varint.write(to, -1);
        } else {
            Varint.write(to, bytes.length);
            to.writeBytes(bytes);
        }
    }

    private void requireNoRecords() {
        if (count > 0) {
            throw new IllegalStateException("records are relative to this field: set it before the first one");
        }
    }

    /** Records appended so far. */
    public int count() {
        return count;
    }

    /** Bytes written so far, but for what the compressor still holds. */
    public int sizeInBytes() {
        return out.writerIndex() - start;
    }

    /** Ends the batch at its last record and writes the header. */
    public void finish() {
        finish(count == 0 ? baseOffset : lastOffset);
    }

    /**
     * Ends the batch and writes the header and the CRC.
     *
     * @param headerLastOffset what the header says, at or above the last record's: compaction keeps it when it drops records
     */
    public void finish(long headerLastOffset) {
        flushSink();
        int size = out.writerIndex() - start;
        out.setLong(start, baseOffset);
        out.setInt(start + BatchView.LENGTH_AT, size - BatchView.LOG_OVERHEAD);
        out.setInt(start + BatchView.LEADER_EPOCH_AT, leaderEpoch);
        out.setByte(start + BatchView.MAGIC_AT, BatchView.MAGIC);
        out.setShort(start + BatchView.ATTRIBUTES_AT, flags | codec.code());
        out.setInt(start + BatchView.LAST_OFFSET_DELTA_AT, Math.toIntExact(headerLastOffset - baseOffset));
        out.setLong(start + BatchView.BASE_TIMESTAMP_AT, baseTimestamp);
        boolean appendTime = (flags & BatchView.LOG_APPEND_TIME_BIT) != 0;
        out.setLong(start + BatchView.MAX_TIMESTAMP_AT, appendTime ? logAppendTime : maxTimestamp);
        out.setLong(start + BatchView.PRODUCER_ID_AT, producerId);
        out.setShort(start + BatchView.PRODUCER_EPOCH_AT, producerEpoch);
        out.setInt(start + BatchView.BASE_SEQUENCE_AT, baseSequence);
        out.setInt(start + BatchView.RECORD_COUNT_AT, count);
        view.wrap(out, start).rewriteCrc();
        view.clear();
    }

    private void flushSink() {
        if (sink == null) {
            return;
        }
        try {
            ByteBuffer compressed = sink.finish();
            out.writeBytes(compressed);
        } catch (IOException e) {
            throw new UncheckedIOException("compressing into memory failed", e);
        } finally {
            sink = null;
        }
    }
}
