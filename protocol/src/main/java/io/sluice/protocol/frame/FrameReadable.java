package io.sluice.protocol.frame;

import java.nio.ByteBuffer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.Readable;

/**
 * Reads the fields of one request and counts, from above, what heap the objects take that it turns into. Every object costs
 * at least one read, so a bound on reads bounds the heap that a hostile request can claim, however many empty elements it
 * packs into its bytes. Byte buffers and records are slices of the frame.
 */
final class FrameReadable implements Readable {
    /** The most heap that one read costs on average, in any API: short strings in lists, and elements with empty lists. */
    static final int HEAP_BYTES_A_READ = 48;

    private final ByteBuffer buffer;
    private final long maxHeapBytes;
    private boolean cutShort;
    private long heapBytes;

    /** A request of too many or too large elements. */
    static final class TooLargeException extends InvalidRequestException {
        private final String reason;

        TooLargeException(String reason) {
            super(reason);
            this.reason = reason;
        }

        String reason() {
            return reason;
        }
    }

    /**
     * Reads from the buffer's position to its limit.
     *
     * @param maxHeapBytes what its objects may come to before the request is refused
     */
    FrameReadable(ByteBuffer buffer, long maxHeapBytes) {
        this.buffer = buffer;
        this.maxHeapBytes = maxHeapBytes;
    }

    /** What the objects read so far take at most, in bytes. */
    long heapBytes() {
        return heapBytes;
    }

    /** What its objects may still take, in bytes. */
    long heapLeft() {
        return maxHeapBytes - heapBytes;
    }

    /** Counts what is taken elsewhere. */
    void addHeap(long bytes) {
        charge(bytes);
    }

    /** Whether less could be read when that was asked last than there is: what failed then, may have for that. */
    boolean wasCutShort() {
        return cutShort;
    }

    private ByteBuffer next() {
        charge(HEAP_BYTES_A_READ);
        return buffer;
    }

    private void charge(long bytes) {
        heapBytes += bytes;
        if (heapBytes > maxHeapBytes) {
            throw new TooLargeException("its elements would take more than " + maxHeapBytes + " bytes of heap");
        }
    }

    @Override
    public byte readByte() {
        return next().get();
    }

    @Override
    public short readShort() {
        return next().getShort();
    }

    @Override
    public int readInt() {
        return next().getInt();
    }

    @Override
    public long readLong() {
        return next().getLong();
    }

    @Override
    public double readDouble() {
        return next().getDouble();
    }

    @Override
    public byte[] readArray(int length) {
        // A string is made of the bytes, which takes as many again.
        charge(2L * requireRemaining(length));
        byte[] bytes = new byte[length];
        next().get(bytes);
        return bytes;
    }

    @Override
    public Uuid readUuid() {
        return new Uuid(readLong(), readLong());
    }

    @Override
    public int readUnsignedVarint() {
        return (int) readUnsigned(Integer.SIZE);
    }

    @Override
    public ByteBuffer readByteBuffer(int length) {
        ByteBuffer slice = next().slice(buffer.position(), requireRemaining(length));
        buffer.position(buffer.position() + length);
        return slice;
    }

    @Override
    public int readVarint() {
        int zigzag = (int) readUnsigned(Integer.SIZE);
        return (zigzag >>> 1) ^ -(zigzag & 1);
    }

    @Override
    public long readVarlong() {
        long zigzag = readUnsigned(Long.SIZE);
        return (zigzag >>> 1) ^ -(zigzag & 1);
    }

    /** Not more than can still be read: lists are made for no more elements than that. */
    @Override
    public int remaining() {
        long affordable = heapLeft() / HEAP_BYTES_A_READ;
        cutShort = affordable < buffer.remaining();
        return (int) Math.min(buffer.remaining(), affordable);
    }

    @Override
    public Readable slice() {
        return new FrameReadable(buffer.slice(), heapLeft());
    }

    /** Seven bits a byte, the lowest first, the top bit set in all but the last. */
    private long readUnsigned(int bits) {
        ByteBuffer source = next();
        long value = 0;
        for (int shift = 0; shift < bits; shift += 7) {
            byte part = source.get();
            value |= (part & 0x7fL) << shift;
            if (part >= 0) {
                return value;
            }
        }
        throw new InvalidRequestException("a number is longer than its type");
    }

    private int requireRemaining(int length) {
        if (length < 0 || length > buffer.remaining()) {
            throw new InvalidRequestException("a field is longer than the request");
        }
        return length;
    }
}
