package io.sluice.protocol.record;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One record batch of magic 2 (KIP-98) inside a buffer, read and changed in place with absolute indexes; the buffer's own
 * reader and writer index are neither read nor moved. A flyweight: wrap the next batch instead of making another view.
 * It holds no reference of the buffer.
 *
 * <p>Layout, big-endian: base offset @0 (8), length of the rest @8 (4), leader epoch @12 (4), magic @16 (1), CRC32C of all
 * that follows it @17 (4), attributes @21 (2), last offset delta @23 (4), base timestamp @27 (8), max timestamp @35 (8),
 * producer id @43 (8), producer epoch @51 (2), base sequence @53 (4), record count @57 (4), records @61.
 *
 * <p>Base offset and leader epoch lie outside the CRC, so that the log can set them without touching it.
 */
public final class BatchView {
    /** Bytes before the length field's end: a batch has this many bytes more than its length field says. */
    public static final int LOG_OVERHEAD = 12;
    /** Bytes of a batch without records. */
    public static final int HEADER_BYTES = 61;
    /** The only magic served. */
    public static final byte MAGIC = 2;
    /** Producer id of a batch that has none. */
    public static final long NO_PRODUCER_ID = -1;
    /** Timestamp of a batch that has none. */
    public static final long NO_TIMESTAMP = -1;

    static final int LENGTH_AT = 8;
    static final int LEADER_EPOCH_AT = 12;
    static final int MAGIC_AT = 16;
    static final int CRC_AT = 17;
    static final int ATTRIBUTES_AT = 21;
    /** The CRC is that of the bytes from here to the end. */
    public static final int CRC_FROM = ATTRIBUTES_AT;

    static final int LAST_OFFSET_DELTA_AT = 23;
    static final int BASE_TIMESTAMP_AT = 27;
    static final int MAX_TIMESTAMP_AT = 35;
    static final int PRODUCER_ID_AT = 43;
    static final int PRODUCER_EPOCH_AT = 51;
    static final int BASE_SEQUENCE_AT = 53;
    static final int RECORD_COUNT_AT = 57;

    static final int CODEC_MASK = 0x07;
    static final int LOG_APPEND_TIME_BIT = 0x08;
    static final int TRANSACTIONAL_BIT = 0x10;
    static final int CONTROL_BIT = 0x20;
    static final int DELETE_HORIZON_BIT = 0x40;

    private final CRC32C crc32c = new CRC32C();
    private @Nullable ByteBuf buffer;
    private int index;

    /**
     * Points the view at a batch. Nothing is checked: use {@link #sizeAt} first where the bytes are not trusted.
     *
     * @param buffer stays the caller's
     * @param index where the batch begins
     */
    public BatchView wrap(ByteBuf buffer, int index) {
        this.buffer = buffer;
        this.index = index;
        return this;
    }

    /** Points the view at the batch that the readable bytes begin with. */
    public BatchView wrap(ByteBuf buffer) {
        return wrap(buffer, buffer.readerIndex());
    }

    /** Lets go of the buffer. */
    public void clear() {
        buffer = null;
        index = 0;
    }

    /**
     * Bytes of the batch that begins at {@code index}, or -1 when fewer than {@link #LOG_OVERHEAD} bytes lie before
     * {@code end}. The value is as the length field says: it may be larger than what there is, and smaller than a header.
     */
    public static long sizeAt(ByteBuf buffer, int index, int end) {
        return end - index < LOG_OVERHEAD ? -1 : (long) LOG_OVERHEAD + buffer.getInt(index + LENGTH_AT);
    }

    /** Whether a whole batch of magic 2 lies between {@code index} and {@code end}, as far as lengths and magic tell. */
    public static boolean isWholeAt(ByteBuf buffer, int index, int end) {
        long size = sizeAt(buffer, index, end);
        return size >= HEADER_BYTES && size <= end - index && buffer.getByte(index + MAGIC_AT) == MAGIC;
    }

    /** Whether these bytes begin with a whole batch of magic 2 that holds data of a transaction. */
    public static boolean isTransactionalData(ByteBuffer bytes) {
        int at = bytes.position();
        if (bytes.remaining() < HEADER_BYTES || bytes.get(at + MAGIC_AT) != MAGIC) {
            return false;
        }
        long size = (long) bytes.getInt(at + LENGTH_AT) + LOG_OVERHEAD;
        int attributes = bytes.getShort(at + ATTRIBUTES_AT);
        return size >= HEADER_BYTES
                && size <= bytes.remaining()
                && (attributes & (TRANSACTIONAL_BIT | CONTROL_BIT)) == TRANSACTIONAL_BIT;
    }

    /** The buffer it looks into. */
    public ByteBuf buffer() {
        if (buffer == null) {
            throw new IllegalStateException("wrap a batch first");
        }
        return buffer;
    }

    /** Where the batch begins. */
    public int index() {
        return index;
    }

    /** Where the next batch begins. */
    public int endIndex() {
        return index + sizeInBytes();
    }

    /** Offset of the first record. */
    public long baseOffset() {
        return buffer().getLong(index);
    }

    /** Bytes of the whole batch. */
    public int sizeInBytes() {
        return LOG_OVERHEAD + buffer().getInt(index + LENGTH_AT);
    }

    /** Epoch under which the owner appended it. */
    public int leaderEpoch() {
        return buffer().getInt(index + LEADER_EPOCH_AT);
    }

    /** Version of the layout. */
    public byte magic() {
        return buffer().getByte(index + MAGIC_AT);
    }

    /** The CRC32C as written, unsigned. */
    public long crc() {
        return buffer().getUnsignedInt(index + CRC_AT);
    }

    /** All attribute bits. */
    public int attributes() {
        return buffer().getUnsignedShort(index + ATTRIBUTES_AT);
    }

    /** Offset of the last record, relative to the first. */
    public int lastOffsetDelta() {
        return buffer().getInt(index + LAST_OFFSET_DELTA_AT);
    }

    /** What the records' timestamps are relative to, in milliseconds; the delete horizon where {@link #hasDeleteHorizon}. */
    public long baseTimestamp() {
        return buffer().getLong(index + BASE_TIMESTAMP_AT);
    }

    /** Largest timestamp, in milliseconds; the time of append where {@link #isLogAppendTime}. */
    public long maxTimestamp() {
        return buffer().getLong(index + MAX_TIMESTAMP_AT);
    }

    /** Who produced it, or {@link #NO_PRODUCER_ID}. */
    public long producerId() {
        return buffer().getLong(index + PRODUCER_ID_AT);
    }

    /** The producer's epoch, or -1. */
    public short producerEpoch() {
        return buffer().getShort(index + PRODUCER_EPOCH_AT);
    }

    /** Sequence number of the first record, or -1. */
    public int baseSequence() {
        return buffer().getInt(index + BASE_SEQUENCE_AT);
    }

    /** How many records the header promises. */
    public int recordCount() {
        return buffer().getInt(index + RECORD_COUNT_AT);
    }

    /** Offset of the last record. */
    public long lastOffset() {
        return baseOffset() + lastOffsetDelta();
    }

    /** The offset after the last record. */
    public long nextOffset() {
        return lastOffset() + 1;
    }

    /** Sequence number of the last record, or -1; wraps to 0 after 2^31 - 1. */
    public int lastSequence() {
        int base = baseSequence();
        return base < 0 ? base : (base + lastOffsetDelta()) & Integer.MAX_VALUE;
    }

    /** Whether an idempotent producer sent it. */
    public boolean hasProducerId() {
        return producerId() > NO_PRODUCER_ID;
    }

    /** The compression bits, which may name no codec. */
    public int codecCode() {
        return attributes() & CODEC_MASK;
    }

    /** The compression, or null where the bits name no codec. */
    public @Nullable CompressionCodec codec() {
        return CompressionCodec.find(codecCode());
    }

    /** Whether all records carry the time of append, {@link #maxTimestamp()}, instead of their own. */
    public boolean isLogAppendTime() {
        return (attributes() & LOG_APPEND_TIME_BIT) != 0;
    }

    /** Whether it belongs to a transaction. */
    public boolean isTransactional() {
        return (attributes() & TRANSACTIONAL_BIT) != 0;
    }

    /** Whether it holds control records (transaction markers) instead of a client's. */
    public boolean isControl() {
        return (attributes() & CONTROL_BIT) != 0;
    }

    /** Whether the base timestamp is the time from which compaction may drop tombstones and markers (KIP-534). */
    public boolean hasDeleteHorizon() {
        return (attributes() & DELETE_HORIZON_BIT) != 0;
    }

    /** Sets the offset of the first record. The CRC stays valid. */
    public void setBaseOffset(long baseOffset) {
        buffer().setLong(index, baseOffset);
    }

    /** Sets the epoch. The CRC stays valid. */
    public void setLeaderEpoch(int leaderEpoch) {
        buffer().setInt(index + LEADER_EPOCH_AT, leaderEpoch);
    }

    /**
     * Sets the largest timestamp and whether it is the time of append, and writes the CRC anew where that changed anything.
     *
     * @param maxTimestamp milliseconds since 1970
     * @param logAppendTime whether it replaces the timestamps of all records
     */
    public void setMaxTimestamp(long maxTimestamp, boolean logAppendTime) {
        int before = attributes();
        int after = logAppendTime ? before | LOG_APPEND_TIME_BIT : before & ~LOG_APPEND_TIME_BIT;
        if (before == after && maxTimestamp() == maxTimestamp) {
            return;
        }
        buffer().setShort(index + ATTRIBUTES_AT, after);
        buffer().setLong(index + MAX_TIMESTAMP_AT, maxTimestamp);
        rewriteCrc();
    }

    /** The CRC32C of the bytes as they are, unsigned. The size must have been checked. */
    public long computeCrc() {
        int from = index + ATTRIBUTES_AT;
        int length = sizeInBytes() - ATTRIBUTES_AT;
        ByteBuf bytes = buffer();
        crc32c.reset();
        if (bytes.hasArray()) {
            crc32c.update(bytes.array(), bytes.arrayOffset() + from, length);
        } else if (bytes.nioBufferCount() == 1) {
            crc32c.update(bytes.nioBuffer(from, length));
        } else {
            for (ByteBuffer part : bytes.nioBuffers(from, length)) {
                crc32c.update(part);
            }
        }
        return crc32c.getValue();
    }

    /** Whether the CRC as written is that of the bytes. */
    public boolean isCrcValid() {
        return computeCrc() == crc();
    }

    /** Writes the CRC of the bytes as they are. */
    public void rewriteCrc() {
        buffer().setInt(index + CRC_AT, (int) computeCrc());
    }

    @Override
    public String toString() {
        return buffer == null
                ? "BatchView()"
                : "BatchView(offsets " + baseOffset() + ".." + lastOffset() + ", " + sizeInBytes() + " bytes, "
                        + recordCount() + " records, attributes " + attributes() + ", producer " + producerId() + "/"
                        + producerEpoch() + "/" + baseSequence() + ")";
    }
}
