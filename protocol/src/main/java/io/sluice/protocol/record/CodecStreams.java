package io.sluice.protocol.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/** kafka-clients' compression streams: the only class here that names them. */
final class CodecStreams {
    private CodecStreams() {}

    /** Decompresses what the buffer holds, as it is read. */
    @SuppressWarnings("checkstyle:IllegalCatch") // each codec throws unchecked exceptions of its own for a bad header
    static InputStream decompress(CompressionCodec codec, ByteBuffer compressed) {
        try {
            return Compression.of(CompressionType.forId(codec.code()))
                    .build()
                    .wrapForInput(compressed, BatchView.MAGIC, BufferSupplier.NO_CACHING);
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
        private final ByteBufferOutputStream bytes;
        private final OutputStream stream;

        Sink(CompressionCodec codec, int expectedBytes) {
            bytes = new ByteBufferOutputStream(Math.max(512, expectedBytes));
            stream = Compression.of(CompressionType.forId(codec.code())).build().wrapForOutput(bytes, BatchView.MAGIC);
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
