package io.sluice.storage.local.aborted;

import io.netty.buffer.ByteBuf;
import io.sluice.storage.local.segment.Deletable;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Aborted transactions in a file that never changes: what a search needs to know of it without reading it. Safe on every
 * thread.
 */
public final class AbortedChunk implements AbortedPart, Deletable {
    /** Bytes of the descriptor in the catalogue. */
    static final int BYTES = 4 * Long.BYTES + 2 * Integer.BYTES;

    private final AbortedChunks files;
    private final long firstMarker;
    private final long lastMarker;
    private final long lowestFirst;
    private final long lastStable;
    private final int count;
    private final int crc;
    private volatile @Nullable ChunkLoss loss;

    /** Of the file that a block was or will be written to. */
    AbortedChunk(AbortedChunks files, AbortedBlock block, int crc) {
        this.files = files;
        this.firstMarker = block.firstMarker();
        this.lastMarker = block.lastMarker();
        this.lowestFirst = block.lowestFirst();
        this.lastStable = block.lastStable();
        this.count = block.count();
        this.crc = crc;
    }

    /** One that the catalogue names. */
    AbortedChunk(AbortedChunks files, ByteBuf in) {
        this.files = files;
        this.firstMarker = in.readLong();
        this.lastMarker = in.readLong();
        this.lowestFirst = in.readLong();
        this.lastStable = in.readLong();
        this.count = in.readInt();
        this.crc = in.readInt();
    }

    /** Writes what names it in the catalogue; docs/formats/catalogue.md has the layout. */
    void writeTo(ByteBuf out) {
        out.writeLong(firstMarker)
                .writeLong(lastMarker)
                .writeLong(lowestFirst)
                .writeLong(lastStable)
                .writeInt(count)
                .writeInt(crc);
    }

    /** Offset of the first one's marker, by which its file is called. */
    long firstMarker() {
        return firstMarker;
    }

    /** Offset of the last one's marker. */
    @Override
    public long lastMarker() {
        return lastMarker;
    }

    /** Where the one that began first begins. */
    @Override
    public long lowestFirst() {
        return lowestFirst;
    }

    @Override
    public long lastStable() {
        return lastStable;
    }

    /** How many it holds. */
    int count() {
        return count;
    }

    int crc() {
        return crc;
    }

    /** Where it is. */
    public Path path() {
        return files.path(firstMarker);
    }

    /** What was found wrong with its file; null where that is nothing. */
    public @Nullable ChunkLoss loss() {
        return loss;
    }

    /** Nothing more is read from it. */
    void setLoss(@Nullable ChunkLoss found) {
        loss = found;
    }

    @Override
    public @Nullable AbortedBlock inMemory() {
        return files.cache().find(this);
    }

    @Override
    public AbortedBlock read() throws IOException {
        AbortedBlock known = inMemory();
        return known == null ? files.load(this) : known;
    }

    @Override
    public void delete() throws IOException {
        files.delete(this);
    }

    @Override
    public String toString() {
        return "AbortedChunk(" + path() + ", " + count + " that ended at offsets " + firstMarker + ".." + lastMarker
                + ")";
    }
}
