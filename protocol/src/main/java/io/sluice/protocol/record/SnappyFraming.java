package io.sluice.protocol.record;

import java.nio.ByteBuffer;

/**
 * Adds up what snappy data claims to expand to, before the decompressor sees it: that one allocates what a chunk's header
 * says, without looking whether so much is there.
 *
 * <p>Two forms are in use: xerial's frames (16 bytes of header, then chunks of a 4-byte length and a snappy block), and one
 * bare block. A block begins with its expanded length as an unsigned varint.
 */
final class SnappyFraming {
    private static final long XERIAL_MAGIC = 0x82534e4150505900L;
    private static final int XERIAL_HEADER_BYTES = 16;
    private static final int VARINT_SHIFT = 7;
    private static final int VARINT_BITS = 35;

    private SnappyFraming() {}

    /**
     * Bytes that all chunks together claim to expand to.
     *
     * @param compressed position and limit stay
     * @throws MalformedBatchException if a chunk is longer than what is there
     */
    static long expandedBytes(ByteBuffer compressed) {
        int position = compressed.position();
        int end = compressed.limit();
        if (end - position < XERIAL_HEADER_BYTES || compressed.getLong(position) != XERIAL_MAGIC) {
            return position == end ? 0 : blockBytes(compressed, position, end);
        }
        long total = 0;
        position += XERIAL_HEADER_BYTES;
        while (position < end) {
            if (isHeader(compressed, position, end)) {
                // Concatenated streams: a header may come again between chunks.
                position += XERIAL_HEADER_BYTES;
                continue;
            }
            int length = end - position < Integer.BYTES ? -1 : compressed.getInt(position);
            position += Integer.BYTES;
            if (length < 0 || length > end - position) {
                throw MalformedBatchException.of("a snappy chunk is longer than its batch");
            }
            total += length == 0 ? 0 : blockBytes(compressed, position, position + length);
            position += length;
        }
        return total;
    }

    private static boolean isHeader(ByteBuffer compressed, int position, int end) {
        return end - position >= XERIAL_HEADER_BYTES && compressed.getLong(position) == XERIAL_MAGIC;
    }

    private static long blockBytes(ByteBuffer compressed, int position, int end) {
        long length = 0;
        for (int shift = 0; shift < VARINT_BITS && position < end; shift += VARINT_SHIFT) {
            byte next = compressed.get(position++);
            length |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return length;
            }
        }
        throw MalformedBatchException.of("a snappy block has no valid length");
    }
}
