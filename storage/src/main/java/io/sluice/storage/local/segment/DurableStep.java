package io.sluice.storage.local.segment;

import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way by which the files of logs and their names become durable. A force that fails is never repeated: the system tells
 * of it once, takes what it could not write for clean, and calls it durable the next time. So whoever forces, and whatever
 * becomes of the failure there, it is noted here: it fences the store, and nothing is forced any more in this run. Safe on
 * every thread.
 */
public final class DurableStep {
    private final FileSystem fileSystem;
    private volatile Consumer<IOException> onFailure = cause -> {};
    private volatile @Nullable IOException failed;

    /** For all logs of a store. Until somebody {@linkplain #onFailure listens} a failure has to end the start. */
    public DurableStep(FileSystem fileSystem) {
        this.fileSystem = fileSystem;
    }

    /** Sets who hears of the failure, on the thread that forces and perhaps under a log's lock. */
    public void onFailure(Consumer<IOException> listener) {
        onFailure = listener;
    }

    /** Where the files are. */
    FileSystem fileSystem() {
        return fileSystem;
    }

    /** Makes durable what was written to a file. */
    void file(StorageFile file, boolean metadata) throws IOException {
        requireNoneFailed();
        try {
            file.force(metadata);
        } catch (IOException e) {
            fail(e);
            throw e;
        }
    }

    /**
     * Makes the names in a directory durable. One that is not there, of a log just deleted, had nothing to force.
     *
     * @throws CannotOpenException if it is there and cannot be opened: no force has failed, and it may be tried again
     */
    void directory(Path directory) throws IOException {
        requireNoneFailed();
        try {
            fileSystem.forceDirectory(directory);
        } catch (NoSuchFileException | CannotOpenException e) {
            throw e;
        } catch (IOException e) {
            fail(e);
            throw e;
        }
    }

    private void requireNoneFailed() throws IOException {
        IOException cause = failed;
        if (cause != null) {
            throw new IOException("nothing is forced after a force that failed", cause);
        }
    }

    private void fail(IOException cause) {
        failed = cause;
        onFailure.accept(cause);
    }
}
