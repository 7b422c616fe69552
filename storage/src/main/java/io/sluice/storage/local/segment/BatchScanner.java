package io.sluice.storage.local.segment;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the headers of the batches of a file without reading their records: one read brings many small batches, and the
 * bytes of large ones are skipped. For one thread; it blocks on the disk.
 */
public final class BatchScanner {
    private static final int WINDOW_BYTES = 16 << 10;

    private final ByteBuffer window;
    private final ByteBuf bytes;
    private final BatchView view = new BatchView();

    private @Nullable StorageFile file;
    private int end;
    private int windowStart;
    private int windowLength;
    private int position;
    private int next;

    /** A scanner of nothing, to be {@link #reset} before each use: it takes 16 KiB. */
    public BatchScanner() {
        this.window = ByteBuffer.allocate(WINDOW_BYTES);
        this.bytes = Unpooled.wrappedBuffer(window.array());
    }

    /** A scanner at the beginning of a range of whole batches. */
    public BatchScanner(StorageFile file, int start, int end) {
        this();
        reset(file, start, end);
    }

    /** Puts it to another range. */
    public void reset(StorageFile newFile, int start, int newEnd) {
        file = newFile;
        end = newEnd;
        next = start;
        windowLength = 0;
    }

    /** Lets go of the file. */
    public void clear() {
        file = null;
        end = 0;
        next = 0;
        windowLength = 0;
    }

    /**
     * Goes to the next batch.
     *
     * @return false at the end of the range, and where no whole batch of magic 2 follows: see {@link #isDamaged}
     */
    public boolean next() throws IOException {
        position = next;
        if (end - position < BatchView.HEADER_BYTES || !readHeader()) {
            return false;
        }
        int at = position - windowStart;
        long size = BatchView.sizeAt(bytes, at, at + BatchView.HEADER_BYTES);
        view.wrap(bytes, at);
        if (size < BatchView.HEADER_BYTES || size > end - position || view.magic() != BatchView.MAGIC) {
            return false;
        }
        next = position + (int) size;
        return true;
    }

    private boolean readHeader() throws IOException {
        int inWindow = position - windowStart;
        if (inWindow >= 0 && inWindow + BatchView.HEADER_BYTES <= windowLength) {
            return true;
        }
        window.clear().limit(Math.min(WINDOW_BYTES, end - position));
        windowLength = file == null ? 0 : file.read(window, position);
        windowStart = position;
        return windowLength >= BatchView.HEADER_BYTES;
    }

    /** After {@link #next} returned false: whether bytes are left that are no whole batch. */
    public boolean isDamaged() {
        return position < end;
    }

    /** The header of the batch it is at; its records may not be there. */
    public BatchView batch() {
        return view;
    }

    /** Where the batch begins. */
    public int position() {
        return position;
    }

    /** Where the next one begins. */
    public int nextPosition() {
        return next;
    }
}
