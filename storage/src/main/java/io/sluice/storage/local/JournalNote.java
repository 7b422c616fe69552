package io.sluice.storage.local;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.journal.JournalRecovery;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether catalogue and journal are as new as the logs. A file beside the logs says up to where the journal was durable when
 * they were written to last, a second before at the most: a journal that ends before is an older copy, which would take the
 * end of a log for what was never acknowledged. It goes wherever the logs go, and is no more than a note: never ahead of the
 * journal, and where it is missing or not whole, nothing is known. Safe on every thread.
 */
final class JournalNote {
    /** Beside the directories of the logs. Layout: docs/formats/data-directory.md. */
    static final String FILE_NAME = DataDirectory.JOURNAL_NOTE;

    private static final Logger LOG = LoggerFactory.getLogger(JournalNote.class);
    private static final long UNKNOWN = -1;
    private static final int BYTES = Long.BYTES + Integer.BYTES;

    private final FileSystem fileSystem;
    private final Path logs;
    private final Path file;
    private long written = UNKNOWN;
    private boolean failing;
    private boolean missed;

    /** The note of these logs. */
    JournalNote(FileSystem fileSystem, Path logs) {
        this.fileSystem = fileSystem;
        this.logs = logs;
        this.file = logs.resolve(FILE_NAME);
    }

    /**
     * Before anything of the journal is replayed, and before anything is deleted.
     *
     * @throws UserException where the journal ends before what was noted and there are records
     */
    void requireNotAhead(Path directory, JournalRecovery journal) throws IOException {
        long noted = read();
        if (noted <= journal.endPosition()) {
            return;
        }
        Optional<Path> log = DirectoryOrigin.anyLogWithSegments(fileSystem, logs);
        if (log.isPresent()) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    "The catalogue and the journal of " + directory + " are older than its logs, as " + log.get()
                            + ": the journal ends at position " + journal.endPosition() + " and had got to " + noted
                            + " when the logs were written to last. Nothing was changed. Restore the data directory, its "
                            + DataDirectory.LOGS + " and its journal (sluice.journal.dir) from one copy. To give up all"
                            + " that was written to the logs since that copy was made, move " + file + " away.");
        }
        forget();
    }

    /** Makes it last that nothing is known: another journal begins. */
    synchronized void forget() throws IOException {
        fileSystem.delete(file);
        fileSystem.forceDirectory(logs);
        written = UNKNOWN;
    }

    /** Notes up to where the journal is durable; the system brings it to the device in its own time. */
    void note(long durablePosition) {
        write(durablePosition, false);
    }

    /** As {@link #note}, and makes it last: the node ends. */
    void noteAtEnd(long durablePosition) {
        write(durablePosition, true);
    }

    private synchronized void write(long position, boolean force) {
        if (position == written && !force) {
            return;
        }
        try {
            if (isMissed() && !force) {
                return;
            }
            writeFile(position, force);
            written = position;
            failing = false;
        } catch (IOException e) {
            // Without it a start knows less of older copies, and nothing else is lost.
            if (!failing) {
                LOG.warn("the journal's position was not noted file={} reason={}", file, FileFailures.text(e));
            }
            failing = true;
        }
    }

    /**
     * Whether the file has gone since the last time. Then the directory may be another one, in which nothing is to be made: the
     * next time it is known to be ours, or nothing is noted any more ({@link DirectoryWatch}).
     */
    private boolean isMissed() throws IOException {
        boolean firstTime = !missed;
        missed = written != UNKNOWN && !fileSystem.exists(file);
        return missed && firstTime;
    }

    private void writeFile(long position, boolean force) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).putLong(position);
        bytes.putInt(crcOf(position)).flip();
        try (StorageFile open = fileSystem.exists(file)
                ? fileSystem.open(file, FileSystem.Access.READ_WRITE)
                : fileSystem.create(file)) {
            open.write(bytes, 0);
            if (force) {
                open.force(false);
            }
        }
    }

    private long read() {
        try {
            if (!fileSystem.exists(file)) {
                return UNKNOWN;
            }
            ByteBuffer bytes = ByteBuffer.allocate(BYTES);
            try (StorageFile open = fileSystem.open(file, FileSystem.Access.READ)) {
                open.read(bytes, 0);
            }
            boolean whole = bytes.position() == BYTES && bytes.getInt(Long.BYTES) == crcOf(bytes.getLong(0));
            return whole ? bytes.getLong(0) : UNKNOWN;
        } catch (IOException e) {
            LOG.warn("the noted position of the journal is not known file={} reason={}", file, FileFailures.text(e));
            return UNKNOWN;
        }
    }

    private static int crcOf(long position) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(position).flip());
        return (int) crc.getValue();
    }
}
