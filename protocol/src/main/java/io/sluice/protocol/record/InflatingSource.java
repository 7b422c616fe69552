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
 * window grows only with bytes that the decompressor has really yielded, never beyond the expansion limit, and, when it is
 * large, out of a budget that all share.
 */
final class InflatingSource implements RecordSource {
    private static final int WINDOW_BYTES = 16 << 10;
    private static final int KEPT_WINDOW_BYTES = 256 << 10;

    private final CodecStreams streams = new CodecStreams();
    private final WindowBudget budget;
    private @Nullable InputStream stream;
    private byte[] window = new byte[0];
    private ByteBuf view = Unpooled.EMPTY_BUFFER;
    private int start;
    private int end;
    private long yieldedBytes;
    private long limitBytes;
    private int batchBytes;
    private int countedBytes;

    InflatingSource(WindowBudget budget) {
        this.budget = budget;
    }

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
        requireAllowed(bytes);
        boolean more = true;
        while (more && end - start < bytes) {
            more = fill(bytes);
        }
        return start;
    }

    /**
     * Sees that a record may be so large.
     *
     * @throws MalformedBatchException if the batch may not expand that far
     */
    void requireAllowed(int bytes) {
        if (bytes > limitBytes) {
            throw MalformedBatchException.expandsBeyond(limitBytes, batchBytes);
        }
    }

    /** Whether another byte can be had. */
    boolean hasMore() {
        if (start < end) {
            return true;
        }
        start = 0;
        end = 0;
        return fill(1);
    }

    /** The next byte, 0 to 255, or -1 at the end; the window need not grow for it. */
    int read() {
        return hasMore() ? window[start++] & 0xff : -1;
    }

    /** Passes over bytes without keeping them; returns over how many, fewer only at the end. */
    int skip(int bytes) {
        int left = bytes;
        while (left > 0 && hasMore()) {
            int some = Math.min(left, end - start);
            start += some;
            left -= some;
        }
        return bytes - left;
    }

    /** Reads more behind what the window holds; makes room first, by sliding or else by growing towards what is wanted. */
    private boolean fill(int wanted) {
        if (end == window.length) {
            makeRoom(wanted);
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

    private void makeRoom(int wanted) {
        if (start == 0) {
            resize((int) Math.min(2L * window.length, wanted));
        } else {
            System.arraycopy(window, start, window, 0, end - start);
            end -= start;
            start = 0;
        }
    }

    private void resize(int bytes) {
        if (bytes > KEPT_WINDOW_BYTES) {
            count(bytes);
        }
        window = Arrays.copyOf(window, bytes);
        view = Unpooled.wrappedBuffer(window);
    }

    private void count(int bytes) {
        if (bytes > budget.limitBytes()) {
            throw MalformedBatchException.expandsBeyond(budget.limitBytes(), batchBytes);
        }
        budget.take(bytes - countedBytes);
        countedBytes = bytes;
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
        if (countedBytes > 0) {
            budget.giveBack(countedBytes);
            countedBytes = 0;
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
