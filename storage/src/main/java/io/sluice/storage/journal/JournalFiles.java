package io.sluice.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;

/**
 * The files of a running journal: the current one, those before it that recovery still needs, and the spares. Written by
 * the flush thread; what appenders read of it is guarded by the journal's lock.
 */
final class JournalFiles {
    private final Object lock;
    private final SpareFiles spares;
    private final int maxBlockBytes;
    private final long owner;
    private final ArrayDeque<JournalFile> kept;
    private JournalFile current;
    private long nextGeneration;

    /**
     * Begins in a file that has its header.
     *
     * @param owner number of the data directory, for the headers of files that follow
     * @param kept files before it that recovery needs, oldest first; owned
     */
    JournalFiles(
            Object lock,
            SpareFiles spares,
            int maxBlockBytes,
            long owner,
            ArrayDeque<JournalFile> kept,
            JournalFile current) {
        this.owner = owner;
        this.lock = lock;
        this.spares = spares;
        this.maxBlockBytes = maxBlockBytes;
        this.kept = kept;
        this.current = current;
        this.nextGeneration = current.generation() + 1;
    }

    SpareFiles spares() {
        return spares;
    }

    int alignment() {
        return current.alignment();
    }

    String mechanism() {
        return current.handle().mechanism().toString();
    }

    // ---- under the lock ----

    /** Bytes of blocks that can be written for certain with the files that are ready. */
    long usableBytes() {
        return current.usableBytes(maxBlockBytes) + spares.usableBytes(maxBlockBytes);
    }

    /** How many files must be ready so that so many more bytes of blocks can be written than can now. */
    int sparesForBytes(long missing, int fileBytes) {
        long perFile = fileBytes - (1L + JournalFormat.CONTROL_RESERVE_BLOCKS) * current.alignment() - maxBlockBytes;
        return (int) (spares.count() + (missing + perFile - 1) / perFile);
    }

    /** The file that is written. */
    Path path() {
        return current.path();
    }

    int filesInUse() {
        return kept.size() + 1;
    }

    /** Whether a file could be used again if this position were known on disk as released. */
    boolean isRetirable(long releasedPosition) {
        JournalFile oldest = kept.peekFirst();
        return oldest != null && oldest.lastPosition() <= releasedPosition;
    }

    /** Whether a block without entries can be written now, keeping room for so many more. */
    boolean hasControlRoom(int keptBlocks) {
        return current.hasControlRoom(keptBlocks);
    }

    // ---- on the flush thread, without the lock ----

    long generation() {
        return current.generation();
    }

    boolean hasRoomFor(int paddedBytes) {
        return current.hasRoomFor(paddedBytes);
    }

    /** Goes on in the next spare file. */
    void switchFile(long firstSequence, long position, long continuedEntryEnd, long releasedPosition)
            throws IOException {
        JournalFile next;
        synchronized (lock) {
            next = spares.poll();
        }
        if (next == null) {
            throw new IOException("no journal file is ready although room was reserved");
        }
        putToUse(
                next,
                nextGeneration++,
                current.generation(),
                firstSequence,
                position,
                continuedEntryEnd,
                releasedPosition,
                owner);
        JournalFile before = current;
        synchronized (lock) {
            kept.addLast(before);
            current = next;
        }
        before.close();
    }

    @SuppressWarnings("checkstyle:ParameterNumber") // the fields of a header, in its order
    static void putToUse(
            JournalFile file,
            long generation,
            long previousGeneration,
            long firstSequence,
            long position,
            long continuedEntryEnd,
            long releasedPosition,
            long owner)
            throws IOException {
        FileHeader header = new FileHeader(
                file.alignment(),
                file.capacity(),
                generation,
                previousGeneration,
                firstSequence,
                position,
                continuedEntryEnd,
                releasedPosition,
                owner);
        SpareFiles.writeHeader(file.handle(), header);
        file.putToUse(generation);
        file.noteEntry(header.endOfEarlierEntries());
    }

    /** Writes one block into the current file; its entries end before this position. */
    void write(ByteBuffer block, long entriesEnd) throws IOException {
        current.noteEntry(entriesEnd);
        current.handle().writeDurably(block, current.writeAt());
    }

    /** Moves on behind the block written. */
    void advance(int paddedBytes, boolean control) {
        synchronized (lock) {
            if (control) {
                current.useControlRoom();
            }
            current.advance(paddedBytes);
        }
    }

    /** Takes files back that recovery does not need: the position is known on disk as released. */
    void retire(long releasedPosition) {
        synchronized (lock) {
            while (isRetirable(releasedPosition)) {
                JournalFile oldest = kept.removeFirst();
                spares.retire(oldest, filesInUse());
            }
        }
    }

    void close() throws IOException {
        synchronized (lock) {
            try {
                spares.close();
            } finally {
                current.close();
            }
        }
    }
}
