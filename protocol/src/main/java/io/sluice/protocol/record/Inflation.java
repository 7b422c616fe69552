package io.sluice.protocol.record;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Decompresses a whole text at once, within a bound: for what is small and is no batch of records. */
public final class Inflation {
    private static final int FIRST_BYTES = 4 << 10;

    private Inflation() {}

    /**
     * Decompresses what lies between position and limit.
     *
     * @param codec not compressed: the very bytes are returned
     * @param limitBytes most that it may expand to
     * @return the bytes, from position to limit; on the heap if they were compressed
     * @throws MalformedBatchException if it is not what the codec makes, or expands beyond the limit
     */
    public static ByteBuffer inflate(CompressionCodec codec, ByteBuffer compressed, int limitBytes) {
        int size = compressed.remaining();
        if (codec == CompressionCodec.NONE) {
            requireWithin(size, limitBytes, size);
            return compressed.duplicate();
        }
        if (codec == CompressionCodec.SNAPPY) {
            requireWithin(SnappyFraming.expandedBytes(compressed), limitBytes, size);
        }
        try (InputStream in = new CodecStreams().decompress(codec, compressed.duplicate())) {
            // One byte more than allowed shows that there is more.
            byte[] bytes = new byte[(int) Math.min(FIRST_BYTES, limitBytes + 1L)];
            int done = CodecStreams.readFully(in, bytes, 0, bytes.length);
            requireWithin(done, limitBytes, size);
            while (done == bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(2L * done, limitBytes + 1L));
                done += CodecStreams.readFully(in, bytes, done, bytes.length - done);
                requireWithin(done, limitBytes, size);
            }
            return ByteBuffer.wrap(bytes, 0, done);
        } catch (IOException e) {
            throw MalformedBatchException.of("the compressed data is damaged", e);
        }
    }

    private static void requireWithin(long bytes, int limitBytes, int compressedBytes) {
        if (bytes > limitBytes) {
            throw MalformedBatchException.expandsBeyond(limitBytes, compressedBytes);
        }
    }
}
