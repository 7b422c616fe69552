package io.sluice.storage.local.segment;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file that is opened when needed and closed when many others are needed more. Whoever uses it pins it through {@link
 * OpenFiles}. Safe on every thread.
 */
public final class SegmentFile {
    private final LogDirectory directory;
    private final String name;
    private @Nullable StorageFile handle;
    private int pins;
    private boolean usedLately;
    private boolean exists;
    private boolean doomed;

    SegmentFile(LogDirectory directory, String name, boolean exists) {
        this.directory = directory;
        this.name = name;
        this.exists = exists;
    }

    /** Where it is. */
    public Path path() {
        return directory.resolve(name);
    }

    /** Pins it; returns whether it was opened for that. */
    synchronized boolean pin() throws IOException {
        boolean opening = handle == null;
        if (opening) {
            if (doomed) {
                throw new NoSuchFileException(path().toString(), null, "deleted");
            }
            handle = directory.fileSystem().open(path(), FileSystem.Access.READ_WRITE);
        }
        pins++;
        usedLately = true;
        return opening;
    }

    /** The open file; for those who have pinned it. */
    synchronized StorageFile handle() {
        return Objects.requireNonNull(handle);
    }

    synchronized void createIfMissing() throws IOException {
        if (exists) {
            return;
        }
        directory.create();
        FileSystem fileSystem = directory.fileSystem();
        if (fileSystem.exists(path())) {
            emptyLeftover(fileSystem);
        } else {
            fileSystem.create(path()).close();
        }
        exists = true;
    }

    /**
     * During recovery, before a batch is replayed into it: whether the file is gone. It may have been deleted after all that
     * is being replayed, and then it is deleted again behind that; until then it is made anew, without its beginning.
     */
    public synchronized boolean forgetIfGone() throws IOException {
        if (exists && handle == null && !directory.fileSystem().exists(path())) {
            exists = false;
            return true;
        }
        return false;
    }

    /** A file of this name that nobody knows of was begun before a crash: nothing in it was ever durable. */
    private void emptyLeftover(FileSystem fileSystem) throws IOException {
        try (StorageFile leftover = fileSystem.open(path(), FileSystem.Access.READ_WRITE)) {
            leftover.truncate(0);
        }
    }

    synchronized void unpin() {
        pins--;
        if (doomed && pins == 0) {
            close();
        }
    }

    /** Closes it unless it is in use or was lately; returns whether it is closed now. */
    synchronized boolean closeUnlessUsed() {
        if (handle == null) {
            return true;
        }
        if (pins > 0 || usedLately) {
            usedLately = false;
            return false;
        }
        close();
        return true;
    }

    synchronized void close() {
        if (handle != null && pins == 0) {
            OpenFiles.closeQuietly(handle);
            handle = null;
        }
    }

    /** Closes it as soon as nobody uses it, for good. Its name may be deleted meanwhile: who has it open reads on. */
    public synchronized void doom() {
        doomed = true;
        close();
    }
}
