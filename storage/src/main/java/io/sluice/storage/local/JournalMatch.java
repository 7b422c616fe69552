package io.sluice.storage.local;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.journal.JournalMismatchException;
import io.sluice.storage.journal.JournalRecovery;
import io.sluice.storage.local.content.Catalogue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a journal and a catalogue were written together. A checkpoint notes in the catalogue up to where the journal has
 * got, and only then lets the journal go of what is before: so the position noted is never behind the journal's end, nor
 * before what it has let go of. A directory that is not mounted, or an old copy, is found by that.
 */
final class JournalMatch {
    private static final Logger LOG = LoggerFactory.getLogger(JournalMatch.class);

    private JournalMatch() {}

    /**
     * Before a catalogue is made where there is none: there was one before the first log, and before a checkpoint let the
     * journal go. With an empty one in its place every log would count as one of which nothing was acknowledged.
     *
     * @throws UserException where there are logs: nothing less than a copy says what they hold
     * @throws JournalMismatchException where there is a journal only: it may be another directory's
     */
    static void requireCatalogue(FileSystem files, Path directory, Path logs, JournalRecovery journal)
            throws IOException {
        Path catalogue = directory.resolve(Catalogue.FILE_NAME);
        if (files.exists(catalogue)) {
            return;
        }
        Optional<Path> log = DirectoryOrigin.anyLogWithSegments(files, logs);
        if (log.isPresent()) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    catalogue + " is missing although there are logs, as " + log.get()
                            + ": the disk or another program removed it. Restore the data directory and its journal"
                            + " from one copy. To give up all records instead, move what is in " + logs
                            + " and in the journal directory away.");
        }
        if (journal.releasedPosition() > 0) {
            throw new JournalMismatchException(
                    directory + " has no catalogue, and its journal begins at position " + journal.releasedPosition());
        }
    }

    /**
     * Checks both before anything is replayed.
     *
     * @param acceptLoss whether to go on where the journal is missing
     * @return whether the journal is missing, and all that only it held is lost
     * @throws JournalMismatchException where they do not belong together
     */
    static boolean isLost(Path directory, Catalogue catalogue, JournalRecovery journal, boolean acceptLoss)
            throws JournalMismatchException {
        long noted = catalogue.journalPosition();
        boolean missing = journal.isNew() && noted != Catalogue.UNKNOWN;
        if (missing && !acceptLoss) {
            throw new JournalMismatchException(
                    "the journal of " + directory + " is missing: no file in its directory is one that was in use");
        }
        boolean lost = missing || (acceptLoss && isBegunInItsPlace(journal, noted));
        if (lost) {
            LOG.warn("the journal is missing: what only it held is given up directory={}", directory);
            return true;
        }
        if (acceptLoss) {
            LOG.warn("{}", needlessAcceptance(journal));
        }
        if (!journal.isNew()) {
            requireSameAge(directory, catalogue, journal);
        }
        return false;
    }

    /** A start that gave the journal up may have ended between beginning another one and taking note of that. */
    private static boolean isBegunInItsPlace(JournalRecovery journal, long noted) {
        return journal.endPosition() == 0 && noted > 0;
    }

    /** What to say where nothing is lost. */
    static String needlessAcceptance(JournalRecovery journal) {
        return journal.isNew()
                ? "sluice.journal.accept.loss is set although there was no journal before: take the setting back"
                : "sluice.journal.accept.loss is set although the journal is there: take the setting back";
    }

    private static void requireSameAge(Path directory, Catalogue catalogue, JournalRecovery journal)
            throws JournalMismatchException {
        long noted = catalogue.journalPosition();
        if (noted == Catalogue.UNKNOWN) {
            return;
        }
        if (journal.endPosition() < noted) {
            throw new JournalMismatchException("the journal of " + directory + " is an older copy: it ends at position "
                    + journal.endPosition() + " and had got to " + noted + " before");
        }
        if (journal.releasedPosition() > noted) {
            throw new JournalMismatchException(
                    directory + " is an older copy than its journal, which begins at position "
                            + journal.releasedPosition() + " and is needed from " + noted + " on");
        }
    }

    /** Notes that there is a journal from now on: before anything can be acknowledged that only it holds. */
    static void note(Catalogue catalogue, JournalRecovery journal, boolean lost) throws IOException {
        if (lost || catalogue.journalPosition() == Catalogue.UNKNOWN) {
            catalogue.appendJournal(lost ? 0 : journal.releasedPosition());
            catalogue.force();
        }
    }
}
