package io.sluice.broker.telemetry;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Goes over the fields of one protobuf message where it lies, so that a small payload of many messages does not become many
 * objects. Fields come in the order of the bytes, each with its number and value. For one thread.
 *
 * <p>Source: the encoding chapter of the Protocol Buffers documentation.
 */
final class ProtoCursor {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;
    private static final int TYPE_BITS = 3;
    private static final int VARINT_SHIFT = 7;
    private static final int VARINT_BITS = 70;

    private final ByteBuffer bytes;
    private final int end;
    private int position;
    private int field;
    private int type;
    private long number;
    private int start;
    private int length;

    /** The message between position and limit; the buffer is only looked at. */
    ProtoCursor(ByteBuffer message) {
        this(message.duplicate().order(ByteOrder.LITTLE_ENDIAN), message.position(), message.limit());
    }

    private ProtoCursor(ByteBuffer bytes, int position, int end) {
        this.bytes = bytes;
        this.position = position;
        this.end = end;
    }

    /** The bytes are no such message. */
    static final class MalformedException extends RuntimeException {
        MalformedException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Goes to the next field.
     *
     * @return whether there is one
     * @throws MalformedException if the bytes are no message
     */
    boolean next() {
        if (position == end) {
            return false;
        }
        long tag = readVarint();
        long fieldNumber = tag >>> TYPE_BITS;
        if (fieldNumber <= 0 || fieldNumber > Integer.MAX_VALUE) {
            throw new MalformedException("a field has the number " + fieldNumber);
        }
        field = (int) fieldNumber;
        type = (int) tag & ((1 << TYPE_BITS) - 1);
        switch (type) {
            case VARINT -> number = readVarint();
            case FIXED64 -> number = bytes.getLong(take(Long.BYTES));
            case FIXED32 -> number = bytes.getInt(take(Integer.BYTES));
            case BYTES -> {
                long size = readVarint();
                if (size < 0 || size > end - position) {
                    throw new MalformedException("a field is longer than its message");
                }
                length = (int) size;
                start = take(length);
            }
            default -> throw new MalformedException("a field has the wire type " + type);
        }
        return true;
    }

    /** The number of the current field. */
    int field() {
        return field;
    }

    /** Value of a varint field. */
    long varint() {
        require(VARINT);
        return number;
    }

    /** Value of a fixed64 or sfixed64 field. */
    long fixed64() {
        require(FIXED64);
        return number;
    }

    /** Value of a double field. */
    double real() {
        require(FIXED64);
        return Double.longBitsToDouble(number);
    }

    /** The message inside the current field. */
    ProtoCursor message() {
        require(BYTES);
        return new ProtoCursor(bytes, start, start + length);
    }

    /** Bytes of the current field, a text or message. */
    int length() {
        require(BYTES);
        return length;
    }

    /** The text of the current field; what is no UTF-8 is replaced. */
    String text() {
        require(BYTES);
        byte[] copy = new byte[length];
        bytes.get(start, copy);
        return new String(copy, StandardCharsets.UTF_8);
    }

    private void require(int wanted) {
        if (type != wanted) {
            throw new MalformedException("field " + field + " has the wire type " + type + ", not " + wanted);
        }
    }

    private long readVarint() {
        long value = 0;
        for (int shift = 0; shift < VARINT_BITS; shift += VARINT_SHIFT) {
            byte next = bytes.get(take(1));
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedException("a number has too many bytes");
    }

    private int take(int count) {
        if (count > end - position) {
            throw new MalformedException("a message is cut off");
        }
        int from = position;
        position += count;
        return from;
    }
}
