package io.sluice.protocol.frame;

import java.nio.ByteBuffer;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.Readable;

/**
 * Reads the fields of one request. Every object that a request turns into costs at least one read, so the bound on reads
 * bounds the heap that a hostile request can claim, however many empty elements it packs into its bytes. Byte buffers and
 * records are slices of the frame.
 */
final class FrameReadable implements Readable {
    private final ByteBuffer buffer;
    private int readsLeft;

    /**
     * Reads from the buffer's position to its limit.
     *
     * @param maxReads fields that may be read before the request is refused
     */
    FrameReadable(ByteBuffer buffer, int maxReads) {
        this.buffer = buffer;
        this.readsLeft = maxReads;
    }

    private ByteBuffer next() {
        if (--readsLeft < 0) {
            throw new InvalidRequestException("the request has too many elements");
        }
        return buffer;
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
        byte[] bytes = new byte[requireRemaining(length)];
        next().get(bytes);
        return bytes;
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

    @Override
    public int remaining() {
        return buffer.remaining();
    }

    @Override
    public Readable slice() {
        return new FrameReadable(buffer.slice(), readsLeft);
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
