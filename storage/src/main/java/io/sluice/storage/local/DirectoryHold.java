package io.sluice.storage.local;

import io.sluice.storage.file.DirectoryLock;
import io.sluice.storage.file.FileSystem;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What keeps other processes off a data directory: the lock file, which names the holder, and {@code meta.properties}, which
 * nobody takes for a thing to clear away, and without which no start takes the directory. For one thread at a time.
 */
final class DirectoryHold implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryHold.class);

    private final FileSystem fileSystem;
    private final Path directory;
    private final DirectoryLock lockFile;
    private @Nullable DirectoryLock meta;

    private DirectoryHold(FileSystem fileSystem, Path directory, DirectoryLock lockFile) {
        this.fileSystem = fileSystem;
        this.directory = directory;
        this.lockFile = lockFile;
    }

    /**
     * Takes the lock file.
     *
     * @throws io.sluice.storage.file.LockHeldException where somebody has it
     */
    static DirectoryHold take(FileSystem fileSystem, Path directory) throws IOException {
        return new DirectoryHold(fileSystem, directory, fileSystem.lock(directory.resolve(DataDirectory.LOCK_FILE)));
    }

    /**
     * Takes {@code meta.properties} as well, once this process has read it. One that this user may not write is left: then
     * the lock file alone has to do.
     *
     * @throws io.sluice.storage.file.LockHeldException where somebody has it: the lock file was removed under a node
     */
    void takeMeta() throws IOException {
        Path file = directory.resolve(DataDirectory.META_FILE);
        try {
            meta = fileSystem.lockExisting(file);
        } catch (AccessDeniedException e) {
            LOG.warn("a file cannot be locked; do not remove .lock beside it while the node runs file={}", file, e);
        }
    }

    /** Lets go of both. */
    @Override
    public void close() throws IOException {
        try (lockFile) {
            if (meta != null) {
                meta.close();
            }
        }
    }
}
