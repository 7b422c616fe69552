package io.sluice.storage.local.segment;

import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the files of segments that are open at a time: a clock with a second chance. A file in use (pinned) is never
 * closed, so the bound can be passed by as many files as are in use at one moment. Safe on every thread.
 */
public final class OpenFiles {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);

    private final int limit;
    private final List<SegmentFile> ring = new ArrayList<>();
    private final LoadedIndexes loadedIndexes = new LoadedIndexes();
    private final DeletedFiles deleted;
    private int hand;

    /**
     * A bound.
     *
     * @param limit files open at a time
     * @param deleted takes those that are deleted
     */
    public OpenFiles(int limit, DeletedFiles deleted) {
        this.limit = limit;
        this.deleted = deleted;
    }

    /** A bound on files of which none is so large, or nobody so busy, that its deletion is felt. */
    public OpenFiles(int limit) {
        this(limit, DeletedFiles.atOnce());
    }

    /** Which indexes are in memory. */
    public LoadedIndexes loadedIndexes() {
        return loadedIndexes;
    }

    /** How many are open. */
    public synchronized int count() {
        return ring.size();
    }

    /**
     * Opens the file if need be and keeps it open until {@link #release}.
     *
     * @throws java.nio.file.NoSuchFileException if it is not there
     * @throws io.sluice.storage.file.CannotOpenException if it is there and cannot be opened
     */
    public StorageFile acquire(SegmentFile file) throws IOException {
        if (file.pin()) {
            admit(file);
        }
        return file.handle();
    }

    /** The same as {@link #acquire}, for writing: makes the file and its directory where they are missing. */
    public StorageFile acquireForWrite(SegmentFile file) throws IOException {
        if (file.pinForWrite()) {
            admit(file);
        }
        return file.handle();
    }

    /** Undoes one {@link #acquire}. */
    public void release(SegmentFile file) {
        StorageFile left = file.unpin();
        if (left != null) {
            deleted.add(left, file.directory());
        }
    }

    private synchronized void admit(SegmentFile file) {
        int steps = 2 * ring.size();
        while (ring.size() >= limit && steps-- > 0) {
            hand = hand >= ring.size() ? 0 : hand;
            if (ring.get(hand).closeUnlessUsed()) {
                SegmentFile last = ring.remove(ring.size() - 1);
                if (hand < ring.size()) {
                    ring.set(hand, last);
                }
            } else {
                hand++;
            }
        }
        if (!file.isDoomed()) {
            ring.add(file);
        }
    }

    /** Closes a file for good, as soon as nobody uses it. Its name may be deleted meanwhile: who has it open reads on. */
    public void doom(SegmentFile file) {
        file.doom();
        synchronized (this) {
            ring.remove(file);
        }
    }

    /**
     * Deletes a file; who has it open reads on. The room of a large one comes back little by little once nobody does.
     *
     * @param sizeBytes how large it is
     */
    void delete(SegmentFile file, long sizeBytes) throws IOException {
        doom(file);
        StorageFile left = file.delete(deleted.wants(sizeBytes));
        if (left != null) {
            deleted.add(left, file.directory());
        }
    }

    /** Closes all that are not in use. */
    public synchronized void closeAll() {
        for (SegmentFile file : ring) {
            file.close();
        }
        ring.clear();
        deleted.close();
    }

    static void closeQuietly(StorageFile handle) {
        try {
            handle.close();
        } catch (IOException e) {
            LOG.warn("closing a segment failed file={}", handle.path(), e);
        }
    }
}
