package io.sluice.protocol.record;

import java.nio.ByteBuffer;

/**
 * Walks the records of a compressed batch for what a check looks at, and keeps none of their keys, values and headers: its
 * memory does not grow with the records. The rules are those of {@link RecordCursor}. Reusable: {@link #close} after each
 * batch, also when {@link #next} threw. For one thread.
 */
final class RecordSkimmer implements RecordFacts, AutoCloseable {
    private static final int VARINT_SHIFT = 7;
    private static final int VARLONG_BITS = 64;

    private final InflatingSource source;
    private long baseTimestamp;
    private long appendTimestamp;
    private int expected;
    private int seen;
    private int remaining;
    private long timestampDelta;
    private int offsetDelta;
    private int keyLength;
    private int headers;

    RecordSkimmer(WindowBudget budget) {
        this.source = new InflatingSource(budget);
    }

    /**
     * Goes before the first record.
     *
     * @param batch its size must have been checked; its buffer must stay until the skimmer is closed
     * @param codec the batch's, not {@link CompressionCodec#NONE}
     * @param maxExpandedBytes most bytes that it may expand to; {@link RecordCursor#expansionLimit} holds in any case
     * @throws MalformedBatchException if the compressed data has no valid beginning
     */
    RecordSkimmer open(BatchView batch, CompressionCodec codec, long maxExpandedBytes) {
        int size = batch.sizeInBytes();
        ByteBuffer compressed =
                batch.buffer().nioBuffer(batch.index() + BatchView.HEADER_BYTES, size - BatchView.HEADER_BYTES);
        source.open(codec, compressed, size, Math.min(maxExpandedBytes, RecordCursor.expansionLimit(size)));
        baseTimestamp = batch.baseTimestamp();
        appendTimestamp = batch.isLogAppendTime() ? batch.maxTimestamp() : BatchView.NO_TIMESTAMP;
        expected = batch.recordCount();
        seen = 0;
        return this;
    }

    @Override
    public boolean next() {
        if (seen >= expected) {
            requireEnd();
            return false;
        }
        remaining = readSize();
        skip(1);
        timestampDelta = readLong();
        offsetDelta = readInt();
        keyLength = Math.max(-1, readInt());
        skip(Math.max(0, keyLength));
        skip(Math.max(0, readInt()));
        headers = skipHeaders();
        seen++;
        return true;
    }

    private void requireEnd() {
        if (source.read() >= 0) {
            throw MalformedBatchException.of("more bytes than the " + expected + " records of the batch");
        }
    }

    private int readSize() {
        if (!source.hasMore()) {
            throw MalformedBatchException.of("the batch ends after " + seen + " of " + expected + " records");
        }
        remaining = Varint.MAX_INT_BYTES;
        int size = readInt();
        if (size < 0 || size > Integer.MAX_VALUE - Varint.MAX_INT_BYTES) {
            throw MalformedBatchException.of("record " + seen + " has the length " + size);
        }
        source.requireAllowed(size);
        return size;
    }

    private int skipHeaders() {
        int count = readInt();
        if (count < 0) {
            throw MalformedBatchException.of("record " + seen + " has " + count + " headers");
        }
        for (int i = 0; i < count; i++) {
            int length = readInt();
            if (length < 0) {
                throw MalformedBatchException.of("a header of record " + seen + " has no key");
            }
            skip(length);
            skip(Math.max(0, readInt()));
        }
        if (remaining != 0) {
            throw MalformedBatchException.of("record " + seen + " is longer than its parts");
        }
        return count;
    }

    private int readInt() {
        long value = readLong();
        if (value != (int) value) {
            throw MalformedBatchException.of("a number of record " + seen + " is out of range");
        }
        return (int) value;
    }

    private long readLong() {
        long zigzag = 0;
        for (int shift = 0; shift < VARLONG_BITS; shift += VARINT_SHIFT) {
            int next = readByte();
            zigzag |= (long) (next & 0x7f) << shift;
            if (next < 0x80) {
                return (zigzag >>> 1) ^ -(zigzag & 1);
            }
        }
        throw MalformedBatchException.of("a number of record " + seen + " has too many bytes");
    }

    private int readByte() {
        requireRemaining(1);
        int next = source.read();
        if (next < 0) {
            throw cutOff();
        }
        return next;
    }

    private void skip(int bytes) {
        requireRemaining(bytes);
        if (source.skip(bytes) < bytes) {
            throw cutOff();
        }
    }

    private void requireRemaining(int bytes) {
        if (bytes > remaining) {
            throw MalformedBatchException.of("record " + seen + " is shorter than its parts");
        }
        remaining -= bytes;
    }

    private MalformedBatchException cutOff() {
        return MalformedBatchException.of("record " + seen + " of " + expected + " is cut off");
    }

    @Override
    public int checkHeaders() {
        return headers;
    }

    @Override
    public int ordinal() {
        return seen - 1;
    }

    @Override
    public int offsetDelta() {
        return offsetDelta;
    }

    @Override
    public long timestamp() {
        return appendTimestamp == BatchView.NO_TIMESTAMP ? baseTimestamp + timestampDelta : appendTimestamp;
    }

    @Override
    public int keyLength() {
        return keyLength;
    }

    /** Lets go of the batch and of the decompressor. Does nothing when closed. */
    @Override
    public void close() {
        source.close();
    }
}
