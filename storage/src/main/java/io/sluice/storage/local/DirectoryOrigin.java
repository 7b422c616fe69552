package io.sluice.storage.local;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import io.sluice.storage.config.StorageKeys;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.journal.JournalDirectory;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.local.content.LogIdentity;
import io.sluice.storage.local.segment.SegmentName;
import io.sluice.storage.metadata.FileMetadataStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the files of a directory, and of those around it, say of whose it is. Only what nobody but Sluice writes counts: a
 * file system of its own brings {@code lost+found}, other programs have a {@code logs} or a {@code meta.properties} too.
 */
final class DirectoryOrigin {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryOrigin.class);

    private DirectoryOrigin() {}

    /**
     * Without {@code meta.properties} nobody knows whose the directory is. Its journal is known to belong to that cluster
     * and node only, so that with another cluster's id it would look like another directory's.
     *
     * @throws UserException if there is anything of a node in it
     */
    static void requireNew(FileSystem fileSystem, Path path) throws IOException {
        Path other = firstFileOfANode(fileSystem, path);
        if (other != null) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    path.resolve(DataDirectory.META_FILE) + " is missing although there is " + other
                            + ": the disk or another program removed it. Restore that file from a copy of this data"
                            + " directory, or choose another directory. Nothing was changed.");
        }
    }

    private static @Nullable Path firstFileOfANode(FileSystem fileSystem, Path path) throws IOException {
        Path catalogue = path.resolve(Catalogue.FILE_NAME);
        if (fileSystem.exists(catalogue) && !fileSystem.isDirectory(catalogue)) {
            return catalogue;
        }
        Optional<Path> log = anyLogWithSegments(fileSystem, path.resolve(DataDirectory.LOGS));
        if (log.isPresent()) {
            return log.get();
        }
        Path metadata = path.resolve(DataDirectory.METADATA);
        if (fileSystem.isDirectory(metadata) && FileMetadataStore.isIn(fileSystem, metadata)) {
            return metadata;
        }
        Path journal = path.resolve("journal");
        return fileSystem.isDirectory(journal) && JournalDirectory.isIn(fileSystem, journal) ? journal : null;
    }

    /** The first directory of a log with a segment in it; empty where there is none. Other programs' may have such names. */
    static Optional<Path> anyLogWithSegments(FileSystem fileSystem, Path logs) throws IOException {
        if (!fileSystem.isDirectory(logs)) {
            return Optional.empty();
        }
        for (String name : fileSystem.list(logs)) {
            Path log = logs.resolve(name);
            if (LogIdentity.logIdOf(name) >= 0 && fileSystem.isDirectory(log) && holdsSegments(fileSystem, log)) {
                return Optional.of(log);
            }
        }
        return Optional.empty();
    }

    /** Whether a directory is another program's: there are files in it, and no segment. */
    static boolean isForeign(FileSystem fileSystem, Path directory) throws IOException {
        return !fileSystem.isDirectory(directory)
                || (!fileSystem.list(directory).isEmpty() && !holdsSegments(fileSystem, directory));
    }

    private static boolean holdsSegments(FileSystem fileSystem, Path directory) throws IOException {
        for (String name : fileSystem.list(directory)) {
            if (isOfSegment(name)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOfSegment(String name) {
        return SegmentName.parseAny(name) != null || LogIdentity.isSetAside(name);
    }

    /**
     * Two nodes, one of which writes into the other's directory, may each take the other's files for its own: refuses to
     * begin one inside another. One that has begun is served, and so is one around another: either may be a copy.
     * Nothing has been made yet.
     *
     * @throws UserException if a new directory would lie inside one of a node, or be or lie inside its journal's
     */
    static void requireNotNested(FileSystem fileSystem, Path path) throws IOException {
        Path own = fileSystem.toRealPath(path);
        boolean begun = fileSystem.exists(own.resolve(DataDirectory.META_FILE));
        for (Path above = own.getParent(); above != null; above = above.getParent()) {
            if (isOfANode(fileSystem, above)) {
                if (!begun) {
                    throw nested(own, above);
                }
                warn(own, above);
            }
        }
        for (Path at = own; !begun && at != null; at = at.getParent()) {
            if (isAJournal(fileSystem, at)) {
                throw inJournal(own, at);
            }
        }
        if (fileSystem.isDirectory(own)) {
            for (String name : fileSystem.list(own)) {
                if (isOfANode(fileSystem, own.resolve(name))) {
                    warn(own.resolve(name), own);
                }
            }
        }
    }

    /** Kafka's directories have a file of this name as well, and so may anybody's. */
    private static boolean isOfANode(FileSystem fileSystem, Path directory) {
        try {
            return DataDirectory.readMeta(fileSystem, directory) != null
                    && (fileSystem.exists(directory.resolve(DataDirectory.LOCK_FILE))
                            || fileSystem.isDirectory(directory.resolve(DataDirectory.LOGS)));
        } catch (IOException e) {
            LOG.debug("not known whose it is directory={} reason={}", directory, FileFailures.text(e));
            return false;
        } catch (UserException e) {
            LOG.debug("another program's file directory={} reason={}", directory, e.getMessage());
            return false;
        }
    }

    private static boolean isAJournal(FileSystem fileSystem, Path directory) {
        try {
            return fileSystem.isDirectory(directory) && JournalDirectory.isIn(fileSystem, directory);
        } catch (IOException e) {
            LOG.debug("not known whose it is directory={} reason={}", directory, FileFailures.text(e));
            return false;
        }
    }

    /**
     * A journal of this directory's that is kept elsewhere must not be in one of another node. One that has begun there is
     * served, as it may be a copy's; whose files those are that are in it, the journal says itself.
     *
     * @param own this node's directory
     * @throws UserException if it is this node's data directory itself, or if a new journal would be, or lie inside, that of
     *     another node
     */
    static void requireJournalPlace(FileSystem fileSystem, Path own, Path journal) throws IOException {
        Path ours = fileSystem.toRealPath(own);
        Path place = fileSystem.toRealPath(journal);
        if (place.equals(ours)) {
            throw new UserException(
                    ExitCode.CANNOT_CREATE,
                    "Journal directory " + place + " (" + StorageKeys.JOURNAL_DIR.name()
                            + ") is the data directory itself. Give it one of its own, or unset it for one inside the data"
                            + " directory. Nothing was changed.");
        }
        if (place.startsWith(ours)) {
            return;
        }
        for (Path at = place; at != null; at = at.getParent()) {
            if (!at.equals(ours) && isOfANode(fileSystem, at)) {
                if (!isAJournal(fileSystem, place)) {
                    throw journalInside(place, at);
                }
                LOG.warn(
                        "the journal lies inside another node's data directory: move it while this node is stopped"
                                + " journal={} outer={}",
                        place,
                        at);
            }
        }
    }

    private static UserException journalInside(Path journal, Path outer) {
        return new UserException(
                ExitCode.CANNOT_CREATE,
                "Journal directory " + journal + " (" + StorageKeys.JOURNAL_DIR.name() + ") "
                        + (journal.equals(outer) ? "is the" : "would lie inside the") + " data directory "
                        + (journal.equals(outer) ? "" : outer + " ")
                        + "of another node. Choose a directory outside it. Nothing was changed.");
    }

    private static UserException inJournal(Path path, Path journal) {
        return new UserException(
                ExitCode.CANNOT_CREATE,
                "Data directory " + path + " " + (path.equals(journal) ? "is" : "would lie inside " + journal + ",")
                        + " the directory of a journal (" + StorageKeys.JOURNAL_DIR.name()
                        + " of another node). Choose a directory of its own. Nothing was changed.");
    }

    private static void warn(Path inner, Path outer) {
        LOG.warn(
                "one data directory lies inside another: move one of them while its node is stopped, unless it is a copy"
                        + " inner={} outer={}",
                inner,
                outer);
    }

    private static UserException nested(Path inner, Path outer) {
        return new UserException(
                ExitCode.CANNOT_CREATE,
                "Data directory " + inner + " would lie inside data directory " + outer
                        + ". Choose a directory outside it. Nothing was changed.");
    }
}
