package io.sluice.protocol.record;

import io.netty.buffer.ByteBuf;

/** The zigzag variable-length integers of records, as in Protocol Buffers. */
final class Varint {
    /** Most bytes of a 32-bit one. */
    static final int MAX_INT_BYTES = 5;

    private static final int PAYLOAD_BITS = 7;
    private static final int PAYLOAD_MASK = 0x7f;
    private static final int CONTINUES = 0x80;

    private Varint() {}

    /** Writes a value at the writer index. */
    static void write(ByteBuf out, long value) {
        long zigzag = (value << 1) ^ (value >> 63);
        while ((zigzag & ~PAYLOAD_MASK) != 0) {
            out.writeByte((int) (zigzag & PAYLOAD_MASK) | CONTINUES);
            zigzag >>>= PAYLOAD_BITS;
        }
        out.writeByte((int) zigzag);
    }
}
