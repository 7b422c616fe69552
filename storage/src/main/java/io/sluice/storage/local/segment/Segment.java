package io.sluice.storage.local.segment;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One file of batches. The last segment of a log is appended to, the others never change. Sizes are published after the
 * bytes, so a reader that stays below {@link #sizeBytes()} sees whole batches.
 *
 * <p>Threads: {@link #append}, {@link #adopt} and the force bookkeeping are for the thread that holds the log's append
 * lock; the rest is safe on every thread.
 */
public final class Segment implements Deletable {
    private static final long NONE = -1;

    private final SegmentName name;
    private final LogDirectory directory;
    private final OpenFiles openFiles;
    private final SegmentFile file;
    private final CheckedRanges checked = new CheckedRanges();
    private final Quarantine quarantine = new Quarantine();

    private volatile int sizeBytes;
    private volatile long nextOffset;
    private volatile long maxTimestamp = NONE;
    private volatile long offsetOfMaxTimestamp = NONE;
    private volatile long firstTimestamp = NONE;
    private volatile long lastAppendMillis = NONE;
    private volatile int forcedBytes;
    private volatile @Nullable SegmentIndex index;
    private volatile boolean ended;
    private volatile @Nullable SegmentLoss loss;
    private boolean tailUncertain;

    private Segment(LogDirectory directory, OpenFiles openFiles, SegmentName name, SegmentFile.Presence presence) {
        this.directory = directory;
        this.openFiles = openFiles;
        this.name = name;
        this.nextOffset = name.baseOffset();
        this.file = new SegmentFile(directory, name.fileName(), presence);
    }

    /** A segment that begins now; its file is made with the first batch. */
    public static Segment begin(LogDirectory directory, OpenFiles openFiles, SegmentName name, int indexIntervalBytes) {
        Segment segment = new Segment(directory, openFiles, name, SegmentFile.Presence.NONE);
        segment.index = new SegmentIndex(name.baseOffset(), indexIntervalBytes);
        return segment;
    }

    /** A segment that was there when the process started. Nothing is read until it is needed. */
    public static Segment existing(LogDirectory directory, OpenFiles openFiles, SegmentState state) {
        Segment segment = new Segment(
                directory,
                openFiles,
                state.name(),
                state.sizeBytes() > 0 ? SegmentFile.Presence.EXISTS : SegmentFile.Presence.LEFT_BEHIND);
        segment.sizeBytes = state.sizeBytes();
        segment.forcedBytes = state.sizeBytes();
        segment.nextOffset = state.nextOffset();
        segment.maxTimestamp = state.maxTimestamp();
        segment.offsetOfMaxTimestamp = state.offsetOfMaxTimestamp();
        segment.firstTimestamp = state.firstTimestamp();
        segment.tailUncertain = true;
        return segment;
    }

    /** A segment that is replayed: a run that crashed may have made its file. */
    public static Segment replayed(
            LogDirectory directory, OpenFiles openFiles, SegmentName name, int indexIntervalBytes) {
        Segment segment = new Segment(directory, openFiles, name, SegmentFile.Presence.LEFT_BEHIND);
        segment.tailUncertain = true;
        segment.index = new SegmentIndex(name.baseOffset(), indexIntervalBytes);
        return segment;
    }

    /** A segment whose file was written before a crash and of which nothing is known: its batches are to be adopted. */
    public static Segment leftover(
            LogDirectory directory, OpenFiles openFiles, SegmentName name, int indexIntervalBytes) {
        Segment segment = new Segment(directory, openFiles, name, SegmentFile.Presence.EXISTS);
        segment.index = new SegmentIndex(name.baseOffset(), indexIntervalBytes);
        segment.tailUncertain = true;
        return segment;
    }

    /** Compares it with its file, before it is used: what is missing is not read any more, and nothing may be appended. */
    public void findLoss() throws IOException {
        loss = sizeBytes == 0 ? null : SegmentLoss.find(this, directory);
    }

    /** What was found missing when the process started, or null. */
    public @Nullable SegmentLoss loss() {
        return loss;
    }

    /** What {@link #existing} needs to know of it. */
    public SegmentState state() {
        return new SegmentState(name, sizeBytes, nextOffset, maxTimestamp, offsetOfMaxTimestamp, firstTimestamp);
    }

    /** Its name. */
    public SegmentName name() {
        return name;
    }

    /** Offsets in it are not below. */
    public long baseOffset() {
        return name.baseOffset();
    }

    /** The offset after its last record; its base offset while it is empty. */
    public long nextOffset() {
        return nextOffset;
    }

    /** Bytes of whole batches. */
    public int sizeBytes() {
        return sizeBytes;
    }

    /** Largest timestamp of its records, or -1. */
    public long maxTimestamp() {
        return maxTimestamp;
    }

    /** Last offset of the first batch that holds the largest timestamp, or -1. */
    public long offsetOfMaxTimestamp() {
        return offsetOfMaxTimestamp;
    }

    /** Largest timestamp of its first batch, or -1. */
    public long firstTimestamp() {
        return firstTimestamp;
    }

    /**
     * When it was last appended to, on the clock of ages; of a segment that was there at start, the time of its file.
     *
     * @throws IOException if the file cannot be asked
     */
    public long lastAppendMillis() throws IOException {
        long known = lastAppendMillis;
        if (known == NONE) {
            known = directory.fileSystem().lastModifiedMillis(file.path());
            lastAppendMillis = known;
        }
        return known;
    }

    /** Takes note of when it was appended to. */
    public void onAppended(long nowMillis) {
        lastAppendMillis = nowMillis;
    }

    /** Bytes known to be on stable storage in this file. */
    public int forcedBytes() {
        return forcedBytes;
    }

    /** Its file. */
    public SegmentFile file() {
        return file;
    }

    /** Which files are open. */
    public OpenFiles openFiles() {
        return openFiles;
    }

    /** What must not be served. */
    public Quarantine quarantine() {
        return quarantine;
    }

    /**
     * Writes a batch to the end.
     *
     * @param bytes readable bytes are the batch
     * @throws IOException nothing was appended; what was written in part has been cut off again
     * @throws TornSegmentException what was written in part could not be cut off: no append is possible any more
     */
    public void append(ByteBuf bytes, BatchView batch) throws IOException {
        int size = bytes.readableBytes();
        int position = sizeBytes;
        StorageFile open = openFiles.acquireForWrite(file);
        try {
            cutUncertainTail(open);
            write(open, bytes, position);
        } finally {
            openFiles.release(file);
        }
        note(batch, position);
        sizeBytes = position + size;
    }

    /**
     * Writes a batch to the end during recovery. What the file holds behind stays until the first {@link #append}: a log
     * that bypasses the journal may still find its end there.
     */
    public void replay(ByteBuf bytes, BatchView batch) throws IOException {
        int position = sizeBytes;
        StorageFile open = openFiles.acquireForWrite(file);
        try {
            writeAll(open, bytes, position);
        } finally {
            openFiles.release(file);
        }
        tailUncertain = true;
        note(batch, position);
        sizeBytes = position + bytes.readableBytes();
    }

    private static void writeAll(StorageFile open, ByteBuf bytes, int position) throws IOException {
        int at = position;
        for (ByteBuffer part : bytes.nioBuffers()) {
            int length = part.remaining();
            open.write(part, at);
            at += length;
        }
    }

    private static void write(StorageFile open, ByteBuf bytes, int position) throws IOException {
        try {
            if (bytes.nioBufferCount() == 1) {
                open.write(bytes.nioBuffer(), position);
            } else {
                writeAll(open, bytes, position);
            }
        } catch (IOException e) {
            cutPartialWrite(open, position, e);
            throw e;
        }
    }

    private static void cutPartialWrite(StorageFile open, int position, IOException cause) throws IOException {
        try {
            open.truncate(position);
        } catch (IOException e) {
            e.addSuppressed(cause);
            throw new TornSegmentException(open.path() + " could not be cut back to " + position + " bytes", e);
        }
    }

    /** Beyond its recovered size a file may hold what was never durable. It goes before the first batch is written. */
    private void cutUncertainTail(StorageFile open) throws IOException {
        if (tailUncertain) {
            open.truncate(sizeBytes);
            tailUncertain = false;
        }
    }

    /**
     * Cuts off what its file holds behind its end, for the holder of the append lock. {@link #forceEnd} makes it last.
     *
     * @return whether there was something
     */
    public boolean cutTail() throws IOException {
        if (!tailUncertain || !hasFile()) {
            return false;
        }
        StorageFile open = openFiles.acquireForWrite(file);
        try {
            boolean longer = open.size() > sizeBytes;
            cutUncertainTail(open);
            return longer;
        } finally {
            openFiles.release(file);
        }
    }

    /**
     * Makes what its file holds durable, that it holds no more, and which files there are beside it: what earlier runs left
     * behind cannot come back.
     */
    public void forceEnd() throws IOException {
        if (hasFile()) {
            StorageFile open = openFiles.acquire(file);
            try {
                directory.durable().file(open, true);
            } finally {
                openFiles.release(file);
            }
        }
        directory.forceNamesIfMade();
    }

    private boolean hasFile() throws IOException {
        return directory.fileSystem().exists(file.path());
    }

    private void note(BatchView batch, int position) {
        SegmentIndex current = index;
        if (current != null) {
            current.onBatch(batch.baseOffset(), position, maxTimestamp);
        }
        long timestamp = batch.maxTimestamp();
        if (timestamp > maxTimestamp) {
            maxTimestamp = timestamp;
            offsetOfMaxTimestamp = batch.lastOffset();
        }
        if (position == 0) {
            firstTimestamp = timestamp;
        }
        nextOffset = batch.nextOffset();
    }

    /** Takes note of a batch that is in the file already: recovery of logs that bypass the journal. */
    public void adopt(BatchView batch, int size) {
        int position = sizeBytes;
        note(batch, position);
        sizeBytes = position + size;
    }

    /** What was left out behind the last batch belongs to it as a gap. */
    public void extendTo(long offset) {
        nextOffset = offset;
    }

    /** Everything up to here is on stable storage in this file. */
    public synchronized void onForced(int bytes) {
        forcedBytes = Math.max(forcedBytes, bytes);
    }

    /**
     * Makes its bytes durable in this file, and its name where it has bytes at all.
     *
     * @return how many are durable now
     */
    public int force() throws IOException {
        int bytes = sizeBytes;
        if (bytes == 0) {
            return 0;
        }
        StorageFile open = openFiles.acquire(file);
        try {
            directory.durable().file(open, false);
        } finally {
            openFiles.release(file);
        }
        if (forcedBytes == 0) {
            directory.forceNames();
        }
        return bytes;
    }

    /** The index, or null where it has to be made with {@link #loadIndex} first. */
    public @Nullable SegmentIndex index() {
        return index;
    }

    /**
     * The index, read from its file or made from the segment where that is needed. May read the whole segment.
     *
     * @throws IOException if the segment cannot be read
     */
    public SegmentIndex loadIndex(int indexIntervalBytes) throws IOException {
        SegmentIndex current = index;
        if (current != null) {
            return current;
        }
        SegmentIndex made = new SegmentIndexBuilder(this, directory, indexIntervalBytes).build();
        index = made;
        if (ended) {
            openFiles.loadedIndexes().add(this);
        }
        return made;
    }

    /** Writes the index to its file, as a cache. */
    public void saveIndex() throws IOException {
        SegmentIndex current = index;
        if (current == null || sizeBytes == 0) {
            return;
        }
        SegmentIndexFile.Entries entries = new SegmentIndexFile.Entries();
        entries.coveredBytes = sizeBytes;
        entries.maxTimestamp = maxTimestamp;
        current.copyTo(entries);
        entries.lastBatchCrc = crcAt(entries);
        SegmentIndexFile.write(directory.fileSystem(), directory.resolve(name.indexFileName()), entries);
    }

    private int crcAt(SegmentIndexFile.Entries entries) throws IOException {
        if (entries.count() == 0) {
            return 0;
        }
        StorageFile open = openFiles.acquire(file);
        try {
            BatchScanner scanner = new BatchScanner(open, entries.positions[entries.count() - 1], sizeBytes);
            if (!scanner.next()) {
                throw new IOException(file.path() + " is damaged at position " + scanner.position());
            }
            return (int) scanner.batch().crc();
        } finally {
            openFiles.release(file);
        }
    }

    /** Nothing is appended any more: saves the index and keeps it in memory only as long as others are not needed more. */
    public void onEnded() throws IOException {
        saveIndex();
        openFiles.loadedIndexes().add(this);
    }

    /** Says whether another segment follows: only then may its index go to make room for others. */
    public void setEnded(boolean followed) {
        ended = followed;
    }

    /** Lets go of the index; it is read or made again when it is needed. */
    void dropIndex() {
        index = null;
    }

    /** Entries of its index, as far as that is in memory. */
    public int indexEntries() {
        SegmentIndex current = index;
        return current == null ? 0 : current.size();
    }

    /** Takes note that {@code [start, end)} was read and found sound. */
    public void onChecked(int start, int end) {
        checked.add(start, end);
    }

    /** How far from {@code position} on everything was read and found sound since the process started. */
    public int soundUntil(int position) {
        return checked.soundUntil(position);
    }

    /** Deletes its files; who has them open reads on. */
    @Override
    public void delete() throws IOException {
        openFiles.loadedIndexes().remove(this);
        openFiles.delete(file, sizeBytes);
        directory.fileSystem().delete(directory.resolve(name.indexFileName()));
    }

    @Override
    public String toString() {
        return "Segment(" + file.path() + ", offsets " + baseOffset() + ".." + nextOffset + ", " + sizeBytes
                + " bytes)";
    }
}
