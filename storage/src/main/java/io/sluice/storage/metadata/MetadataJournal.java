package io.sluice.storage.metadata;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.OutOfSpaceException;
import io.sluice.storage.metadata.MetadataFrame.Group;
import io.sluice.storage.metadata.MetadataState.Change;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a metadata store: the newest snapshot and the log behind it. When the log has grown beyond a bound, and
 * beyond the snapshot, the state is written as a new snapshot and a new log begins. For one thread, but for {@link #file}.
 *
 * <p>The order of a roll: the new log, empty; the snapshot beside; its rename, which decides; the old files go. A crash in
 * between leaves either the old pair or the new one valid; nothing is appended before it is certain which.
 */
final class MetadataJournal implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(MetadataJournal.class);

    private final FileSystem files;
    private final Path directory;
    private final long rollBytes;
    private MetadataState state;
    private long lastChange;
    private long snapshotChange;
    private long rollAtBytes;
    /** Whether a snapshot has its name, but not durably, and the files before it are there. */
    private boolean rollUnfinished;

    private volatile MetadataLog log;

    private MetadataJournal(FileSystem files, Path directory, long rollBytes, long snapshotChange, MetadataState state)
            throws IOException {
        this.files = files;
        this.directory = directory;
        this.rollBytes = rollBytes;
        this.rollAtBytes = rollBytes;
        this.snapshotChange = snapshotChange;
        this.lastChange = snapshotChange;
        this.state = state;
        this.log = MetadataLog.open(files, directory, snapshotChange, this::replay);
    }

    /**
     * Opens what is there, or makes an empty store.
     *
     * @param rollBytes size of the log from which a snapshot is due
     * @throws UserException when something that had been flushed is damaged or missing
     */
    static MetadataJournal open(FileSystem files, Path directory, long rollBytes) throws IOException {
        files.createDirectoriesDurably(directory);
        List<String> names = files.list(directory);
        long snapshotChange = newest(names, "state-", ".snapshot").orElse(0);
        boolean hasSnapshot = names.contains(MetadataSnapshot.fileName(snapshotChange));
        boolean hasLog = names.contains(MetadataLog.fileName(snapshotChange));
        if (!hasSnapshot && !hasLog) {
            requireEmpty(directory, names);
            MetadataLog.create(files, directory, 0).close();
        } else if (!hasLog) {
            throw missing(directory.resolve(MetadataLog.fileName(snapshotChange)));
        }
        MetadataState state =
                hasSnapshot ? MetadataSnapshot.read(files, directory, snapshotChange) : MetadataState.EMPTY;
        MetadataJournal journal = new MetadataJournal(files, directory, rollBytes, snapshotChange, state);
        files.forceDirectory(directory); // the force of the newest pair's names may have failed in an earlier run
        journal.deleteOthers(names);
        return journal;
    }

    /** The state after the last group appended or replayed. */
    MetadataState state() {
        return state;
    }

    /** The log that is written now; one before it may be gone once it is another. */
    Path file() {
        return log.path();
    }

    /** Number of the last change; changes count from 1. */
    long lastChange() {
        return lastChange;
    }

    /**
     * Makes changes durable.
     *
     * @param next the state they lead to
     * @throws OutOfSpaceException when there was no room and nothing changed
     * @throws CannotOpenException when there was no descriptor and nothing changed
     * @throws IOException when the outcome is unknown; never append again
     */
    void append(List<List<Change>> changes, MetadataState next) throws IOException {
        finishRoll();
        log.append(new Group(lastChange + 1, changes));
        lastChange += changes.size();
        state = next;
        if (log.sizeInBytes() >= rollAtBytes) {
            rollNow();
        }
    }

    /** Without a descriptor it is left to the next append. */
    private void finishRoll() throws IOException {
        if (rollUnfinished) {
            forceNames();
            deleteOthers(files.list(directory));
            rollUnfinished = false;
        }
    }

    /** The system says once only that a name found no room after all, and then calls it durable. */
    private void forceNames() throws IOException {
        try {
            files.forceDirectory(directory);
        } catch (OutOfSpaceException e) {
            throw new IOException("the new snapshot may or may not have its name", e);
        }
    }

    @Override
    public void close() throws IOException {
        log.close();
    }

    private void replay(Group group) {
        for (List<Change> change : group.changes()) {
            for (Change step : change) {
                state = state.with(step);
            }
        }
        lastChange += group.changes().size();
    }

    private void rollNow() throws IOException {
        try {
            if (roll()) {
                finishRoll();
            }
        } catch (CannotOpenException e) {
            LOG.atWarn()
                    .setMessage("A snapshot of the metadata is not kept yet; the next change tries again first")
                    .addKeyValue("directory", directory)
                    .addKeyValue("reason", e.getMessage())
                    .log();
        } catch (OutOfSpaceException e) {
            throw new IOException("the new snapshot may or may not have its name", e);
        }
    }

    /**
     * Begins a new pair of files; without room or descriptors for one the old log grows on and the next try comes later.
     *
     * @return whether it has begun
     */
    private boolean roll() throws IOException {
        long snapshotBytes;
        MetadataLog newLog;
        try {
            snapshotBytes = MetadataSnapshot.prepare(files, directory, lastChange, state);
            newLog = MetadataLog.create(files, directory, lastChange);
        } catch (OutOfSpaceException | CannotOpenException e) {
            rollAtBytes = log.sizeInBytes() + rollBytes;
            discardUnfinished();
            LOG.atWarn()
                    .setMessage("A snapshot of the metadata cannot be written now; its log grows on")
                    .addKeyValue("directory", directory)
                    .addKeyValue("logBytes", log.sizeInBytes())
                    .addKeyValue("reason", e.getMessage())
                    .log();
            return false;
        }
        MetadataSnapshot.commit(files, directory, lastChange);
        rollUnfinished = true;
        log.close();
        log = newLog;
        snapshotChange = lastChange;
        rollAtBytes = Math.max(rollBytes, snapshotBytes);
        return true;
    }

    /** The room that was not enough for a pair of files is needed by the log. */
    private void discardUnfinished() {
        String newLog = MetadataLog.fileName(lastChange);
        for (String name : List.of(
                MetadataSnapshot.fileName(lastChange) + MetadataFiles.UNFINISHED,
                newLog + MetadataFiles.UNFINISHED,
                newLog)) {
            Path unfinished = directory.resolve(name);
            try {
                files.delete(unfinished);
            } catch (IOException e) {
                LOG.atWarn()
                        .setMessage("An unfinished file of metadata cannot be deleted; the next start tries again")
                        .addKeyValue("file", unfinished)
                        .setCause(e)
                        .log();
            }
        }
    }

    /** Everything but the current pair: older pairs, unfinished files, and an empty log whose snapshot never came. */
    private void deleteOthers(List<String> names) throws IOException {
        for (String name : names) {
            boolean ours = name.startsWith("state-") || name.startsWith("changes-");
            boolean current = name.equals(MetadataSnapshot.fileName(snapshotChange))
                    || name.equals(MetadataLog.fileName(snapshotChange));
            if (ours && !current) {
                requireNoLaterChanges(name);
                files.delete(directory.resolve(name));
            }
        }
    }

    private void requireNoLaterChanges(String name) throws IOException {
        Optional<Long> start = number(name, "changes-", ".log");
        if (start.isPresent() && start.get() > snapshotChange) {
            MetadataLog.open(files, directory, start.get(), group -> {
                        throw missing(directory.resolve(MetadataSnapshot.fileName(start.get())));
                    })
                    .close();
        }
    }

    /** Whether one of these is the name of a snapshot or of a log of changes. */
    static boolean isAnyIn(List<String> names) {
        return newest(names, "state-", ".snapshot").isPresent()
                || newest(names, "changes-", ".log").isPresent();
    }

    private static void requireEmpty(Path directory, List<String> names) {
        newest(names, "changes-", ".log").ifPresent(start -> {
            throw missing(directory.resolve(MetadataSnapshot.fileName(start)));
        });
    }

    private static UserException missing(Path file) {
        return new UserException(
                ExitCode.BAD_DATA,
                file + " is missing, though other files say that it had been written. Restore the data directory from a"
                        + " copy.");
    }

    private static OptionalLong newest(List<String> names, String prefix, String suffix) {
        return names.stream()
                .map(name -> number(name, prefix, suffix))
                .flatMap(Optional::stream)
                .mapToLong(Long::longValue)
                .max();
    }

    private static Optional<Long> number(String name, String prefix, String suffix) {
        if (!name.startsWith(prefix) || !name.endsWith(suffix)) {
            return Optional.empty();
        }
        String digits = name.substring(prefix.length(), name.length() - suffix.length());
        return digits.matches("\\d{20}") ? Optional.of(Long.parseLong(digits)) : Optional.empty();
    }
}
