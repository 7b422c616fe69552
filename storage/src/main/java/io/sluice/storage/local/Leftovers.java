package io.sluice.storage.local;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.local.content.LogIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directories that belong to no log: of logs deleted before the last stop, and of logs whose creation never became
 * durable. The first are renamed already and deleted in the background; the second are renamed now, so that a log of the
 * same number may be made anew.
 */
final class Leftovers {
    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    private Leftovers() {}

    /**
     * Without its journal nobody knows which of them was acknowledged: they are renamed, and left to whoever wants to look
     * for records in them.
     */
    static void setAside(FileSystem fileSystem, Path logsDirectory, LongPredicate known) throws IOException {
        for (String name : fileSystem.list(logsDirectory)) {
            if (isUnknown(fileSystem, logsDirectory, name, known)) {
                Path renamed = unclaimed(fileSystem, logsDirectory, name);
                fileSystem.rename(logsDirectory.resolve(name), renamed);
                LOG.warn("a log that only the lost journal knew is set aside directory={}", renamed);
            }
        }
        fileSystem.forceDirectory(logsDirectory);
    }

    /** Whether a directory is one of a log that is not known, and not another program's that has such a name. */
    private static boolean isUnknown(FileSystem fileSystem, Path logsDirectory, String name, LongPredicate known)
            throws IOException {
        long logId = LogIdentity.logIdOf(name);
        return logId >= 0 && !known.test(logId) && !DirectoryOrigin.isForeign(fileSystem, logsDirectory.resolve(name));
    }

    /** A name that no directory has: the journal may be lost more than once. */
    private static Path unclaimed(FileSystem fileSystem, Path logsDirectory, String name) throws IOException {
        Path found = logsDirectory.resolve(name + LogIdentity.UNCLAIMED_SUFFIX);
        for (int number = 2; fileSystem.exists(found); number++) {
            found = logsDirectory.resolve(name + "." + number + LogIdentity.UNCLAIMED_SUFFIX);
        }
        return found;
    }

    static void remove(FileSystem fileSystem, Path logsDirectory, LongPredicate known, Executor background)
            throws IOException {
        List<Path> doomed = new ArrayList<>();
        for (String name : fileSystem.list(logsDirectory)) {
            Path path = logsDirectory.resolve(name);
            if (LogIdentity.isDeletedDirectory(name)) {
                if (!DirectoryOrigin.isForeign(fileSystem, path)) {
                    doomed.add(path);
                }
            } else if (isUnknown(fileSystem, logsDirectory, name, known)) {
                Path renamed = logsDirectory.resolve(name + LogIdentity.DELETED_SUFFIX);
                fileSystem.deleteTree(renamed);
                fileSystem.rename(path, renamed);
                doomed.add(renamed);
            }
        }
        if (!doomed.isEmpty()) {
            background.execute(() -> delete(fileSystem, doomed));
        }
    }

    private static void delete(FileSystem fileSystem, List<Path> directories) {
        for (Path directory : directories) {
            try {
                fileSystem.deleteTree(directory);
            } catch (IOException e) {
                LOG.warn("files of a deleted log were not all deleted directory={}", directory, e);
            }
        }
    }
}
