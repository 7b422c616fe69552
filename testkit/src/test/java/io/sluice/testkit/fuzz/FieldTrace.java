package io.sluice.testkit.fuzz;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Readable;

/** Reads a request and notes where each field was. One thread. */
final class FieldTrace implements Readable {
    private final ByteBuffer buffer;
    private final ByteBufferAccessor accessor;
    private final List<Seed.Field> fields = new ArrayList<>();

    FieldTrace(ByteBuffer buffer) {
        this.buffer = buffer;
        this.accessor = new ByteBufferAccessor(buffer);
    }

    /** In the order in which they were read; none is empty. */
    List<Seed.Field> fields() {
        return List.copyOf(fields);
    }

    private <T> T note(int position, Seed.Kind kind, T value) {
        int length = buffer.position() - position;
        if (length > 0) {
            fields.add(new Seed.Field(position, length, kind));
        }
        return value;
    }

    @Override
    public byte readByte() {
        return note(buffer.position(), Seed.Kind.NUMBER, accessor.readByte());
    }

    @Override
    public short readShort() {
        return note(buffer.position(), Seed.Kind.NUMBER, accessor.readShort());
    }

    @Override
    public int readInt() {
        return note(buffer.position(), Seed.Kind.NUMBER, accessor.readInt());
    }

    @Override
    public long readLong() {
        return note(buffer.position(), Seed.Kind.NUMBER, accessor.readLong());
    }

    @Override
    public double readDouble() {
        return note(buffer.position(), Seed.Kind.NUMBER, accessor.readDouble());
    }

    @Override
    public byte[] readArray(int length) {
        return note(buffer.position(), Seed.Kind.BYTES, accessor.readArray(length));
    }

    @Override
    public int readUnsignedVarint() {
        return note(buffer.position(), Seed.Kind.VARINT, accessor.readUnsignedVarint());
    }

    @Override
    public ByteBuffer readByteBuffer(int length) {
        return note(buffer.position(), Seed.Kind.BYTES, accessor.readByteBuffer(length));
    }

    @Override
    public int readVarint() {
        return note(buffer.position(), Seed.Kind.VARINT, accessor.readVarint());
    }

    @Override
    public long readVarlong() {
        return note(buffer.position(), Seed.Kind.VARINT, accessor.readVarlong());
    }

    @Override
    public int remaining() {
        return accessor.remaining();
    }

    @Override
    public Readable slice() {
        return accessor.slice();
    }
}
