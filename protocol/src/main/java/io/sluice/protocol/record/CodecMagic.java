package io.sluice.protocol.record;

import io.netty.buffer.ByteBuf;

/**
 * Whether compressed data begins as its codec's does: a cheap look that finds a producer that marks its batches wrongly,
 * without decompressing anything.
 */
final class CodecMagic {
    private static final int GZIP = 0x1f8b;
    private static final int LZ4_FRAME = 0x184d2204;
    private static final int ZSTD_FRAME = 0xfd2fb528;
    /** Frames of either format that a decoder skips; the four lowest bits are free. */
    private static final int SKIPPABLE = 0x184d2a50;

    private static final int SKIPPABLE_MASK = 0xfffffff0;

    private CodecMagic() {}

    /** Whether the records of a batch begin as its codec says. */
    static boolean isAt(CompressionCodec codec, BatchView batch) {
        ByteBuf bytes = batch.buffer();
        int from = batch.index() + BatchView.HEADER_BYTES;
        int length = batch.sizeInBytes() - BatchView.HEADER_BYTES;
        return switch (codec) {
            case NONE -> true;
            case GZIP -> length >= Short.BYTES && bytes.getUnsignedShort(from) == GZIP;
            // A bare block has no magic: it begins with its length.
            case SNAPPY -> length > 0;
            case LZ4 -> length >= Integer.BYTES && bytes.getIntLE(from) == LZ4_FRAME;
            case ZSTD -> length >= Integer.BYTES && isZstd(bytes.getIntLE(from));
        };
    }

    private static boolean isZstd(int magic) {
        return magic == ZSTD_FRAME || (magic & SKIPPABLE_MASK) == SKIPPABLE;
    }
}
