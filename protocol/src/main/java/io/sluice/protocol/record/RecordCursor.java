package io.sluice.protocol.record;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the records of one batch, decompressing as it goes: memory holds one record at a time. Reusable: open the next
 * batch instead of making another cursor; {@link #close} after each, also when {@link #next} threw.
 *
 * <p>A batch may expand to {@value #EXPANSION_RATIO} times its size, at least {@value #SMALL_EXPANSION_BYTES} bytes and at
 * most {@value #MAX_EXPANDED_BYTES}; what goes beyond is refused while it is decompressed.
 *
 * <p>Record: length, attributes (1 byte), timestamp delta, offset delta, key length and key, value length and value, header
 * count and headers; all numbers but the attributes are zigzag varints (KIP-98).
 */
public final class RecordCursor implements RecordFacts, AutoCloseable {
    /** How many times its size a batch may expand to. */
    public static final int EXPANSION_RATIO = 100;
    /** So many bytes are allowed to the smallest batch, because repetitive data of a few KiB compresses that well. */
    public static final int SMALL_EXPANSION_BYTES = 1 << 20;
    /** So many bytes are allowed to no batch. */
    public static final long MAX_EXPANDED_BYTES = 256L << 20;

    private static final int VARINT_SHIFT = 7;
    private static final int VARLONG_BITS = 64;

    private final PlainSource plain = new PlainSource();
    private final InflatingSource inflating;
    private @Nullable RecordSource source;
    private @Nullable ByteBuf bytes;

    private long baseOffset;
    private long baseTimestamp;
    private long appendTimestamp;
    private int expected;
    private int seen;

    private int position;
    private int recordEnd;
    private int recordIndex;
    private long timestampDelta;
    private int offsetDelta;
    private int keyIndex;
    private int keyLength;
    private int valueIndex;
    private int valueLength;
    private int headersIndex;

    /** A cursor that is closed. */
    public RecordCursor() {
        this(WindowBudget.OF_HEAP);
    }

    RecordCursor(WindowBudget budget) {
        this.inflating = new InflatingSource(budget);
    }

    /** Bytes that a batch of this size may expand to. */
    public static long expansionLimit(int batchBytes) {
        long byRatio = Math.max(SMALL_EXPANSION_BYTES, (long) EXPANSION_RATIO * batchBytes);
        return Math.min(MAX_EXPANDED_BYTES, byRatio);
    }

    /**
     * Goes before the first record.
     *
     * @param batch its size must have been checked; its buffer must stay until the cursor is closed
     * @throws MalformedBatchException if its codec is unknown or the compressed data has no valid beginning
     */
    public RecordCursor open(BatchView batch) {
        return open(batch, Long.MAX_VALUE);
    }

    /**
     * Goes before the first record.
     *
     * @param batch its size must have been checked; its buffer must stay until the cursor is closed
     * @param maxExpandedBytes most bytes that it may expand to; {@link #expansionLimit} holds in any case
     * @throws MalformedBatchException if its codec is unknown or the compressed data has no valid beginning
     */
    public RecordCursor open(BatchView batch, long maxExpandedBytes) {
        close();
        CompressionCodec codec = batch.codec();
        if (codec == null) {
            throw MalformedBatchException.of("compression code " + batch.codecCode() + " names no codec");
        }
        int from = batch.index() + BatchView.HEADER_BYTES;
        int size = batch.sizeInBytes();
        if (codec == CompressionCodec.NONE) {
            source = plain.open(batch.buffer(), batch.index() + size);
            position = from;
        } else {
            ByteBuffer compressed = batch.buffer().nioBuffer(from, size - BatchView.HEADER_BYTES);
            long limit = Math.min(maxExpandedBytes, expansionLimit(size));
            source = inflating.open(codec, compressed, size, limit);
            position = 0;
        }
        baseOffset = batch.baseOffset();
        baseTimestamp = batch.baseTimestamp();
        appendTimestamp = batch.isLogAppendTime() ? batch.maxTimestamp() : BatchView.NO_TIMESTAMP;
        expected = batch.recordCount();
        seen = 0;
        return this;
    }

    /**
     * Moves to the next record.
     *
     * @return false after the last one that the batch's header promises
     * @throws MalformedBatchException if the bytes hold no such record, or hold more than were promised
     * @throws io.sluice.base.memory.MemoryExhaustedException if others look at so large records that this one has no room
     */
    @Override
    public boolean next() {
        RecordSource from = requireOpen();
        if (seen >= expected) {
            requireEnd(from);
            return false;
        }
        int size = readSize(from);
        int sizeBytes = position - recordIndex;
        recordIndex = from.seek(recordIndex, sizeBytes + size);
        if (size > from.available(recordIndex) - sizeBytes) {
            throw MalformedBatchException.of("record " + seen + " of " + expected + " is cut off");
        }
        bytes = from.bytes();
        position = recordIndex + sizeBytes;
        recordEnd = position + size;
        readFields();
        position = recordEnd;
        seen++;
        return true;
    }

    private void requireEnd(RecordSource from) {
        position = from.seek(position, 1);
        if (from.available(position) > 0) {
            throw MalformedBatchException.of("more bytes than the " + expected + " records of the batch");
        }
    }

    /** Leaves the position after the length. A short last record may have fewer bytes than the longest length. */
    private int readSize(RecordSource from) {
        recordIndex = from.seek(position, Varint.MAX_INT_BYTES);
        int available = from.available(recordIndex);
        if (available == 0) {
            throw MalformedBatchException.of("the batch ends after " + seen + " of " + expected + " records");
        }
        bytes = from.bytes();
        position = recordIndex;
        recordEnd = recordIndex + Math.min(available, Varint.MAX_INT_BYTES);
        int size = readInt();
        if (size < 0 || size > Integer.MAX_VALUE - Varint.MAX_INT_BYTES) {
            throw MalformedBatchException.of("record " + seen + " has the length " + size);
        }
        return size;
    }

    private void readFields() {
        skip(1);
        timestampDelta = readLong();
        offsetDelta = readInt();
        keyLength = readLength();
        keyIndex = position;
        skip(Math.max(0, keyLength));
        valueLength = readLength();
        valueIndex = position;
        skip(Math.max(0, valueLength));
        headersIndex = position;
    }

    /**
     * Walks the headers of the record, to see that they fill it exactly.
     *
     * @return how many there are
     * @throws MalformedBatchException if they do not
     */
    @Override
    public int checkHeaders() {
        int after = position;
        position = headersIndex;
        int count = readInt();
        if (count < 0) {
            throw MalformedBatchException.of("record " + (seen - 1) + " has " + count + " headers");
        }
        for (int i = 0; i < count; i++) {
            int length = readInt();
            if (length < 0) {
                throw MalformedBatchException.of("a header of record " + (seen - 1) + " has no key");
            }
            skip(length);
            skip(Math.max(0, readInt()));
        }
        if (position != recordEnd) {
            throw MalformedBatchException.of("record " + (seen - 1) + " is longer than its parts");
        }
        position = after;
        return count;
    }

    private int readLength() {
        return Math.max(-1, readInt());
    }

    private int readInt() {
        long value = readLong();
        if (value != (int) value) {
            throw MalformedBatchException.of("a number of record " + seen + " is out of range");
        }
        return (int) value;
    }

    private long readLong() {
        ByteBuf from = bytes();
        long zigzag = 0;
        for (int shift = 0; shift < VARLONG_BITS; shift += VARINT_SHIFT) {
            if (position >= recordEnd) {
                throw MalformedBatchException.of("record " + seen + " is shorter than its parts");
            }
            byte next = from.getByte(position++);
            zigzag |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return (zigzag >>> 1) ^ -(zigzag & 1);
            }
        }
        throw MalformedBatchException.of("a number of record " + seen + " has too many bytes");
    }

    private void skip(int length) {
        if (length > recordEnd - position) {
            throw MalformedBatchException.of("record " + seen + " is shorter than its parts");
        }
        position += length;
    }

    private RecordSource requireOpen() {
        if (source == null) {
            throw new IllegalStateException("open a batch first");
        }
        return source;
    }

    /** What the indexes below refer to; valid until the next call of {@link #next}. Do not change it. */
    public ByteBuf bytes() {
        if (bytes == null) {
            throw new IllegalStateException("no record yet");
        }
        return bytes;
    }

    /** Number of the record in its batch, from 0. */
    @Override
    public int ordinal() {
        return seen - 1;
    }

    /** Its offset. */
    public long offset() {
        return baseOffset + offsetDelta;
    }

    /** Its offset, relative to the batch's first. */
    @Override
    public int offsetDelta() {
        return offsetDelta;
    }

    /** Its timestamp in milliseconds: its own, or the batch's where that has the time of append. */
    @Override
    public long timestamp() {
        return appendTimestamp == BatchView.NO_TIMESTAMP ? baseTimestamp + timestampDelta : appendTimestamp;
    }

    /** Bytes of the key, or -1 where there is none. */
    @Override
    public int keyLength() {
        return keyLength;
    }

    /** Where the key begins. */
    public int keyIndex() {
        return keyIndex;
    }

    /** Bytes of the value, or -1 where there is none (a tombstone in a compacted topic). */
    public int valueLength() {
        return valueLength;
    }

    /** Where the value begins. */
    public int valueIndex() {
        return valueIndex;
    }

    /** Where the header count begins; the headers run to the end of the record. */
    public int headersIndex() {
        return headersIndex;
    }

    /** Where the whole record, its length included, begins. */
    public int recordIndex() {
        return recordIndex;
    }

    /** Bytes of the whole record, its length included. */
    public int recordLength() {
        return recordEnd - recordIndex;
    }

    /** Lets go of the batch and of the decompressor. Does nothing when closed. */
    @Override
    public void close() {
        RecordSource open = source;
        source = null;
        bytes = null;
        if (open != null) {
            open.close();
        }
    }
}
