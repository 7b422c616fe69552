package io.sluice.protocol.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * kafka-clients' compression streams: the only class here that names them. Keeps the buffers of closed streams for the
 * next; for one thread.
 */
final class CodecStreams {
    private final BufferSupplier buffers = BufferSupplier.create();

    /** Decompresses what the buffer holds, as it is read. */
    @SuppressWarnings("checkstyle:IllegalCatch") // each codec throws unchecked exceptions of its own for a bad header
    InputStream decompress(CompressionCodec codec, ByteBuffer compressed) {
        try {
            return Compression.of(CompressionType.forId(codec.code()))
                    .build()
                    .wrapForInput(compressed, BatchView.MAGIC, buffers);
        } catch (RuntimeException e) {
            throw MalformedBatchException.of("the " + codec + " data of a batch has no valid beginning", e);
        }
    }

    /**
     * Reads until the range is full or the stream ends.
     *
     * @return bytes read
     */
    @SuppressWarnings("checkstyle:IllegalCatch") // each codec throws unchecked exceptions of its own for damaged data
    static int readFully(InputStream in, byte[] into, int from, int length) {
        int done = 0;
        try {
            while (done < length) {
                int read = in.read(into, from + done, length - done);
                if (read < 0) {
                    break;
                }
                done += read;
            }
        } catch (IOException | RuntimeException e) {
            throw MalformedBatchException.of("the compressed data of a batch is damaged", e);
        }
        return done;
    }

    /** Compressed bytes in the making. */
    static final class Sink {
        private static final int MIN_BYTES = 512;

        private final ByteBufferOutputStream bytes;
        private final OutputStream stream;

        Sink(CompressionCodec codec, @Nullable Integer level, int expectedBytes) {
            bytes = new ByteBufferOutputStream(Math.max(MIN_BYTES, expectedBytes));
            stream = compression(codec, level).wrapForOutput(bytes, BatchView.MAGIC);
        }

        private static Compression compression(CompressionCodec codec, @Nullable Integer level) {
            if (level == null) {
                return Compression.of(CompressionType.forId(codec.code())).build();
            }
            return switch (codec) {
                case GZIP -> Compression.gzip().level(level).build();
                case LZ4 -> Compression.lz4().level(level).build();
                case ZSTD -> Compression.zstd().level(level).build();
                case NONE, SNAPPY ->
                    Compression.of(CompressionType.forId(codec.code())).build();
            };
        }

        OutputStream stream() {
            return stream;
        }

        /** Ends the stream; what it wrote lies between position and limit. */
        ByteBuffer finish() throws IOException {
            stream.close();
            ByteBuffer written = bytes.buffer().duplicate();
            written.flip();
            return written;
        }
    }
}
