package io.sluice.storage.local;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.local.content.LogIdentity;
import io.sluice.storage.local.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directories that belong to no log. Those of logs deleted before the last stop are deleted in the background; their names
 * are taken off them before, so that a log of the same number may be made anew. Whatever else holds records is renamed and
 * left to whoever wants to look for some in it: nobody knows here where it comes from.
 */
final class Leftovers {
    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    private final FileSystem fileSystem;
    private final Path logs;

    /** What is in this directory of logs. */
    Leftovers(FileSystem fileSystem, Path logs) {
        this.fileSystem = fileSystem;
        this.logs = logs;
    }

    /** Without its journal nobody knows which of them was acknowledged: all are kept. */
    void setAside(LongPredicate known) throws IOException {
        for (String name : fileSystem.list(logs)) {
            if (isUnknown(name, known)) {
                LOG.warn("a log that only the lost journal knew is set aside directory={}", rename(name));
            }
        }
        fileSystem.forceDirectory(logs);
    }

    /**
     * Removes what deletions and a crash have left.
     *
     * @param known whether there is a log of this number
     * @param deleted whether one of this number is known to have been deleted
     * @param background deletes files
     */
    void remove(LongPredicate known, LongPredicate deleted, Executor background) throws IOException {
        List<Path> doomed = new ArrayList<>();
        boolean kept = false;
        for (String name : fileSystem.list(logs)) {
            Path path = logs.resolve(name);
            if (LogIdentity.isDeletedDirectory(name)) {
                if (!DirectoryOrigin.isForeign(fileSystem, path)) {
                    doomed.add(path);
                }
            } else if (isUnknown(name, known)) {
                boolean hasRecords = hasRecords(path);
                if (hasRecords && !deleted.test(LogIdentity.logIdOf(name))) {
                    keep(name);
                    kept = true;
                } else {
                    doomed.add(doom(name, hasRecords));
                }
            }
        }
        if (kept) {
            fileSystem.forceDirectory(logs);
        }
        if (!doomed.isEmpty()) {
            background.execute(() -> delete(doomed));
        }
    }

    /** Whether a directory is one of a log that is not known, and not another program's that has such a name. */
    private boolean isUnknown(String name, LongPredicate known) throws IOException {
        long logId = LogIdentity.logIdOf(name);
        return logId >= 0 && !known.test(logId) && !DirectoryOrigin.isForeign(fileSystem, logs.resolve(name));
    }

    private boolean hasRecords(Path directory) throws IOException {
        for (String name : fileSystem.list(directory)) {
            SegmentName segment = SegmentName.parse(name);
            if (LogIdentity.isSetAside(name) || (segment != null && fileSystem.sizeOf(directory.resolve(name)) > 0)) {
                return true;
            }
        }
        return false;
    }

    private void keep(String name) throws IOException {
        LOG.warn(
                "a directory of records that this node knows no partition of is set aside: somebody put it there, or its"
                        + " topic was deleted, or none of its records had been acknowledged when the node ended; the node"
                        + " never deletes it, remove it when you need it no more directory={}",
                rename(name));
    }

    private Path doom(String name, boolean hasRecords) throws IOException {
        Path renamed = logs.resolve(name + LogIdentity.DELETED_SUFFIX);
        fileSystem.deleteTree(renamed);
        fileSystem.rename(logs.resolve(name), renamed);
        if (hasRecords) {
            LOG.info("the files of a log that was deleted before the node ended are deleted directory={}", renamed);
        }
        return renamed;
    }

    /** Gives it a name that no directory has: the journal may be lost more than once. */
    private Path rename(String name) throws IOException {
        Path found = logs.resolve(name + LogIdentity.UNCLAIMED_SUFFIX);
        for (int number = 2; fileSystem.exists(found); number++) {
            found = logs.resolve(name + "." + number + LogIdentity.UNCLAIMED_SUFFIX);
        }
        fileSystem.rename(logs.resolve(name), found);
        return found;
    }

    private void delete(List<Path> directories) {
        for (Path directory : directories) {
            try {
                fileSystem.deleteTree(directory);
            } catch (IOException e) {
                LOG.warn("files of a deleted log were not all deleted directory={}", directory, e);
            }
        }
    }
}
