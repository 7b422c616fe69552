package io.sluice.protocol.frame;

import java.nio.ByteBuffer;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.utils.internals.ByteUtils;

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
        return ByteUtils.readUnsignedVarint(next());
    }

    @Override
    public ByteBuffer readByteBuffer(int length) {
        ByteBuffer slice = next().slice(buffer.position(), requireRemaining(length));
        buffer.position(buffer.position() + length);
        return slice;
    }

    @Override
    public int readVarint() {
        return ByteUtils.readVarint(next());
    }

    @Override
    public long readVarlong() {
        return ByteUtils.readVarlong(next());
    }

    @Override
    public int remaining() {
        return buffer.remaining();
    }

    @Override
    public Readable slice() {
        return new FrameReadable(buffer.slice(), readsLeft);
    }

    private int requireRemaining(int length) {
        if (length < 0 || length > buffer.remaining()) {
            throw new InvalidRequestException("a field is longer than the request");
        }
        return length;
    }
}
