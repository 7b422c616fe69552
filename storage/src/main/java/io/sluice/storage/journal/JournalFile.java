package io.sluice.storage.journal;

import io.sluice.storage.file.DirectFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A journal file as the running journal knows it: spare, current, or full and kept for recovery. The flush thread's own,
 * but for reading {@link #usableBytes} under the journal's lock, under which {@link #advance} is called.
 */
final class JournalFile {
    private final Path path;
    private final long capacity;
    private @Nullable DirectFile handle;
    private int alignment = JournalFormat.FILE_BYTES_UNIT;
    private long generation;
    private long writeAt;
    private long dataLimit;
    private long lastPosition;

    /** A file that is not open. */
    JournalFile(Path path, long capacity) {
        this.path = path;
        this.capacity = capacity;
    }

    /** A file kept for recovery. */
    static JournalFile kept(Path path, long capacity, long generation, long lastPosition) {
        JournalFile file = new JournalFile(path, capacity);
        file.generation = generation;
        file.lastPosition = lastPosition;
        return file;
    }

    /** A spare file, open. */
    static JournalFile spare(DirectFile handle, long capacity) {
        JournalFile file = new JournalFile(handle.path(), capacity);
        file.handle = handle;
        file.alignment = handle.alignment();
        file.writeAt = file.alignment;
        file.dataLimit = capacity - (long) JournalFormat.CONTROL_RESERVE_BLOCKS * file.alignment;
        return file;
    }

    Path path() {
        return path;
    }

    long capacity() {
        return capacity;
    }

    int alignment() {
        return alignment;
    }

    long generation() {
        return generation;
    }

    long writeAt() {
        return writeAt;
    }

    /** The position after the last entry that began in this file. */
    long lastPosition() {
        return lastPosition;
    }

    DirectFile handle() {
        if (handle == null) {
            throw new IllegalStateException(path + " is not open");
        }
        return handle;
    }

    void putToUse(long newGeneration) {
        generation = newGeneration;
    }

    void noteEntry(long endPosition) {
        lastPosition = Math.max(lastPosition, endPosition);
    }

    /** Whether a block of this padded size may be written here. */
    boolean hasRoomFor(long bytes) {
        return writeAt + bytes <= dataLimit;
    }

    /** Whether a block without entries may be written, out of what is kept for such blocks. */
    boolean hasControlRoom(int keptBlocks) {
        return dataLimit + (long) (1 + keptBlocks) * alignment <= capacity;
    }

    /** Moves the end of what entries may use, because a block without entries takes its room from what is kept for such. */
    void useControlRoom() {
        dataLimit += alignment;
    }

    void advance(int bytes) {
        writeAt += bytes;
    }

    /** Bytes of blocks that fit for certain, whatever their sizes: the last one that does not fit leaves a hole. */
    long usableBytes(int maxBlockBytes) {
        return Math.max(0, dataLimit - writeAt - maxBlockBytes);
    }

    void close() throws IOException {
        DirectFile open = handle;
        handle = null;
        if (open != null) {
            open.close();
        }
    }
}
