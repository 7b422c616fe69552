package io.sluice.storage.local.segment;

import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that is opened when needed and closed when many others are needed more. Whoever uses it pins it through {@link
 * OpenFiles}. Safe on every thread.
 */
public final class SegmentFile {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentFile.class);

    private final LogDirectory directory;
    private final String name;
    private @Nullable StorageFile handle;
    private int pins;
    private boolean usedLately;
    private Presence presence;
    private boolean doomed;
    private @Nullable StorageFile toBeEmptied;

    /** What is known of the file on disk. */
    enum Presence {
        /** It was never made. */
        NONE,
        /** A run that crashed may have made it. */
        LEFT_BEHIND,
        /** It is there. */
        EXISTS
    }

    SegmentFile(LogDirectory directory, String name, Presence presence) {
        this.directory = directory;
        this.name = name;
        this.presence = presence;
    }

    /** The directory that it is in. */
    LogDirectory directory() {
        return directory;
    }

    /** Where it is. */
    public Path path() {
        return directory.resolve(name);
    }

    /** Pins it; returns whether it was opened for that. */
    synchronized boolean pin() throws IOException {
        return pin(false);
    }

    /** Pins it for writing, making it where it is missing; returns whether it was opened for that. */
    synchronized boolean pinForWrite() throws IOException {
        return pin(true);
    }

    private boolean pin(boolean make) throws IOException {
        boolean opening = handle == null;
        if (opening) {
            if (doomed) {
                throw new NoSuchFileException(path().toString(), null, "deleted");
            }
            handle = make ? openForWrite() : open();
        }
        pins++;
        usedLately = true;
        return opening;
    }

    private StorageFile open() throws IOException {
        try {
            return directory.fileSystem().open(path(), FileSystem.Access.READ_WRITE);
        } catch (NoSuchFileException | CannotOpenException e) {
            throw e;
        } catch (IOException e) {
            throw new CannotOpenException(path(), e);
        }
    }

    private StorageFile openForWrite() throws IOException {
        StorageFile opened = switch (presence) {
            case NONE -> create();
            case LEFT_BEHIND -> openLeftBehind();
            case EXISTS -> openOrReplace();
        };
        presence = Presence.EXISTS;
        return opened;
    }

    /** Somebody has taken the file away: what it held is lost, and found damaged when read; what comes is kept. */
    private StorageFile openOrReplace() throws IOException {
        try {
            return open();
        } catch (NoSuchFileException e) {
            LOG.warn("a segment's file is missing and made anew file={}", path());
            return create();
        }
    }

    private StorageFile create() throws IOException {
        directory.create();
        try {
            return directory.fileSystem().create(path());
        } catch (FileAlreadyExistsException e) {
            StorageFile leftover = open();
            leftover.truncate(0); // begun before a crash and never durable
            return leftover;
        }
    }

    private StorageFile openLeftBehind() throws IOException {
        try {
            return open();
        } catch (NoSuchFileException e) {
            return create();
        }
    }

    /** The open file; for those who have pinned it. */
    synchronized StorageFile handle() {
        return Objects.requireNonNull(handle);
    }

    /** Undoes one pin; returns what is to be emptied now that nobody reads it. */
    synchronized @Nullable StorageFile unpin() {
        pins--;
        StorageFile left = null;
        if (doomed && pins == 0) {
            close();
            left = toBeEmptied;
            toBeEmptied = null;
        }
        return left;
    }

    /**
     * Deletes its name, after {@link #doom}: nobody opens it any more.
     *
     * @param emptying whether its room is to be given back in steps
     * @return what is to be emptied, unless somebody reads it: then {@link #unpin} returns it
     */
    @Nullable StorageFile delete(boolean emptying) throws IOException {
        FileSystem fileSystem = directory.fileSystem();
        if (!emptying) {
            fileSystem.delete(path());
            return null;
        }
        StorageFile held = fileSystem.deleteHolding(path()); // with no lock: event loops let go of files
        synchronized (this) {
            toBeEmptied = pins == 0 ? null : held;
            return pins == 0 ? held : null;
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

    /** {@link OpenFiles#doom}. */
    synchronized void doom() {
        doomed = true;
        close();
    }

    synchronized boolean isDoomed() {
        return doomed;
    }
}
