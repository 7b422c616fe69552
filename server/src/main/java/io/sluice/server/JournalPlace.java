package io.sluice.server;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import io.sluice.storage.config.StorageKeys;
import io.sluice.storage.file.DirectoryLock;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.LockHeldException;
import io.sluice.storage.local.DataDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a node's journal is: in its data directory, or by {@code sluice.journal.dir} in one of its own, which is locked as a
 * data directory is, so that it is no other node's, neither for its journal nor for its data.
 */
final class JournalPlace implements AutoCloseable {
    private static final String JOURNAL = "journal";

    private final Path path;
    private final @Nullable DirectoryLock lock;

    private JournalPlace(Path path, @Nullable DirectoryLock lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Refuses one that is another node's. Before anything is made.
     *
     * @param configured null for the one in the data directory
     * @param data the data directory
     * @throws UserException naming both
     */
    static void require(FileSystem files, Path data, @Nullable String configured) {
        if (configured == null) {
            return;
        }
        Path path = Path.of(configured).toAbsolutePath();
        try {
            DataDirectory.requireJournalPlace(files, data, path);
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    /**
     * Takes it, making it where it is missing.
     *
     * @param data the data directory, which is held
     * @throws UserException if it is in use, or cannot be written
     */
    static JournalPlace take(FileSystem files, Path data, @Nullable String configured) {
        Path path =
                configured == null ? data.resolve(JOURNAL) : Path.of(configured).toAbsolutePath();
        try {
            files.createDirectoriesDurably(path);
            return new JournalPlace(
                    path, configured == null ? null : files.lock(path.resolve(DataDirectory.LOCK_FILE)));
        } catch (LockHeldException e) {
            String holder = e.holderPid() < 0 ? "another process" : "process " + e.holderPid();
            throw refused(path, "is in use by " + holder + ". Stop it first, or choose another directory.", e);
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static UserException unusable(Path path, IOException e) {
        return refused(
                path, "cannot be used: " + FileFailures.text(e) + ". Choose a directory that this user can write.", e);
    }

    private static UserException refused(Path path, String reason, IOException e) {
        return new UserException(
                ExitCode.CANNOT_CREATE,
                "Journal directory " + path + " (" + StorageKeys.JOURNAL_DIR.name() + ") " + reason,
                e);
    }

    /** The directory. */
    Path path() {
        return path;
    }

    /** Lets other processes have it. */
    @Override
    public void close() throws IOException {
        if (lock != null) {
            lock.close();
        }
    }
}
