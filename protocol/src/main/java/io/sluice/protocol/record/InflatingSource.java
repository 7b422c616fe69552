package io.sluice.protocol.record;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The records of a compressed batch, decompressed as they are asked for into a window that holds one record at a time. The
 * window grows only with bytes that the decompressor has really yielded, and never beyond the expansion limit.
 */
final class InflatingSource implements RecordSource {
    private static final int WINDOW_BYTES = 16 << 10;
    private static final int KEPT_WINDOW_BYTES = 256 << 10;

    private final CodecStreams streams = new CodecStreams();
    private @Nullable InputStream stream;
    private byte[] window = new byte[0];
    private ByteBuf view = Unpooled.EMPTY_BUFFER;
    private int start;
    private int end;
    private long yieldedBytes;
    private long limitBytes;
    private int batchBytes;

    InflatingSource open(CompressionCodec codec, ByteBuffer compressed, int batchBytes, long limitBytes) {
        close();
        this.batchBytes = batchBytes;
        this.limitBytes = limitBytes;
        if (codec == CompressionCodec.SNAPPY && SnappyFraming.expandedBytes(compressed) > limitBytes) {
            throw MalformedBatchException.expandsBeyond(limitBytes, batchBytes);
        }
        stream = streams.decompress(codec, compressed);
        if (window.length == 0) {
            resize(WINDOW_BYTES);
        }
        return this;
    }

    @Override
    public int seek(int position, int bytes) {
        start = position;
        if (bytes > limitBytes) {
            throw MalformedBatchException.expandsBeyond(limitBytes, batchBytes);
        }
        boolean more = true;
        while (more && end - start < bytes) {
            more = fill();
        }
        return start;
    }

    /** Reads more behind what the window holds; makes room first, by sliding or else by doubling. */
    private boolean fill() {
        if (end == window.length) {
            makeRoom();
        }
        int room = window.length - end;
        int read = stream == null ? 0 : CodecStreams.readFully(stream, window, end, room);
        end += read;
        yieldedBytes += read;
        if (yieldedBytes > limitBytes) {
            throw MalformedBatchException.expandsBeyond(limitBytes, batchBytes);
        }
        return read > 0;
    }

    private void makeRoom() {
        if (start == 0) {
            resize(window.length * 2);
        } else {
            System.arraycopy(window, start, window, 0, end - start);
            end -= start;
            start = 0;
        }
    }

    private void resize(int bytes) {
        window = Arrays.copyOf(window, bytes);
        view = Unpooled.wrappedBuffer(window);
    }

    @Override
    public ByteBuf bytes() {
        return view;
    }

    @Override
    public int available(int position) {
        return end - position;
    }

    @Override
    public void close() {
        if (stream != null) {
            try {
                stream.close();
            } catch (IOException e) {
                throw MalformedBatchException.of("the compressed data of a batch is damaged", e);
            } finally {
                stream = null;
            }
        }
        if (window.length > KEPT_WINDOW_BYTES) {
            window = new byte[0];
            view = Unpooled.EMPTY_BUFFER;
        }
        start = 0;
        end = 0;
        yieldedBytes = 0;
    }
}
