package io.sluice.storage.local.cleaner;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.segment.BatchScanner;
import io.sluice.storage.local.segment.Segment;
import java.io.IOException;

/** Reads the batches of one segment, one at a time, each checked. For one thread; close it. */
final class CleaningSource implements AutoCloseable {
    private static final int FIRST_BYTES = 64 << 10;

    private final Segment segment;
    private final StorageFile file;
    private final BatchScanner scanner;
    private final ByteBuf bytes;
    private final BatchView view = new BatchView();

    CleaningSource(Segment segment, ByteBufAllocator allocator) throws IOException {
        this.segment = segment;
        this.bytes = allocator.directBuffer(FIRST_BYTES);
        boolean done = false;
        try {
            this.file = segment.openFiles().acquire(segment.file());
            done = true;
        } finally {
            if (!done) {
                bytes.release();
            }
        }
        this.scanner = new BatchScanner(file, 0, segment.sizeBytes());
    }

    /**
     * Goes to the next batch.
     *
     * @return false at the end
     * @throws IOException if a batch is damaged: such a segment is not cleaned
     */
    boolean next() throws IOException {
        if (!scanner.next()) {
            if (scanner.isDamaged()) {
                throw damaged();
            }
            return false;
        }
        int size = scanner.nextPosition() - scanner.position();
        bytes.clear().ensureWritable(size);
        int count = file.read(bytes.nioBuffer(0, size), scanner.position());
        bytes.writerIndex(count);
        view.wrap(bytes, 0);
        if (count < size || !view.isCrcValid()) {
            throw damaged();
        }
        return true;
    }

    private IOException damaged() {
        return new IOException("damaged batch in " + segment.file().path() + " at position " + scanner.position());
    }

    /** The batch it is at; its bytes are the readable bytes of {@link #bytes}. */
    BatchView batch() {
        return view;
    }

    ByteBuf bytes() {
        return bytes;
    }

    /** Where in the segment it begins. */
    int position() {
        return scanner.position();
    }

    @Override
    public void close() {
        bytes.release();
        segment.openFiles().release(segment.file());
    }
}
