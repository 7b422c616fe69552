package io.sluice.storage.local.reader;

import io.netty.buffer.ByteBuf;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.LogSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Pieces gathered by one read. Filled by one thread; {@link #release} may be called on any, once. */
public final class PieceSlice implements LogSlice {
    private final List<Piece> pieces = new ArrayList<>(1);
    private final AtomicBoolean released = new AtomicBoolean();
    private @Nullable List<Segment> pinned;
    private int sizeInBytes;
    private int memoryBytes;
    private long recordCount;

    /** Takes over one reference. */
    void addMemory(ByteBuf bytes, long records) {
        recordCount += records;
        pieces.add(new Piece.Memory(bytes));
        sizeInBytes += bytes.readableBytes();
        memoryBytes += bytes.capacity();
    }

    /** Takes over one pin of the segment's file. */
    void addRegion(Segment segment, Piece.FileRegion region, long records) {
        pieces.add(region);
        sizeInBytes += region.length();
        recordCount += records;
        if (pinned == null) {
            pinned = new ArrayList<>(1);
        }
        pinned.add(segment);
    }

    /** Pins a segment's file for {@link #addRegion}. */
    static StorageFile pin(Segment segment) throws java.io.IOException {
        return segment.openFiles().acquire(segment.file());
    }

    /** Bytes of memory it holds. */
    public int memoryBytes() {
        return memoryBytes;
    }

    boolean isEmpty() {
        return sizeInBytes == 0;
    }

    @Override
    public int sizeInBytes() {
        return sizeInBytes;
    }

    @Override
    public long recordCount() {
        return recordCount;
    }

    @Override
    public List<Piece> pieces() {
        return pieces;
    }

    @Override
    public void release() {
        if (!released.compareAndSet(false, true)) {
            throw new IllegalStateException("a slice is released once");
        }
        for (int i = 0; i < pieces.size(); i++) {
            if (pieces.get(i) instanceof Piece.Memory memory) {
                memory.bytes().release();
            }
        }
        if (pinned != null) {
            pinned.forEach(segment -> segment.openFiles().release(segment.file()));
        }
    }
}
