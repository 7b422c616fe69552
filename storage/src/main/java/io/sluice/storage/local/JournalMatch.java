package io.sluice.storage.local;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.journal.JournalMismatchException;
import io.sluice.storage.journal.JournalRecovery;
import io.sluice.storage.local.content.Catalogue;
import java.io.IOException;
import java.nio.file.Path;
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

    /** Before a catalogue is made where there is none: once a checkpoint has let the journal go, there was one. */
    static void requireCatalogue(FileSystem files, Path directory, JournalRecovery journal) throws IOException {
        if (journal.releasedPosition() > 0 && !files.exists(directory.resolve(Catalogue.FILE_NAME))) {
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
        boolean lost = journal.isNew() && noted != Catalogue.UNKNOWN;
        if (lost && !acceptLoss) {
            throw new JournalMismatchException("the journal of " + directory + " is missing: its directory is empty");
        }
        if (lost) {
            LOG.warn("the journal is missing: what only it held is given up directory={}", directory);
        } else if (acceptLoss) {
            LOG.warn("sluice.journal.accept.loss is set although the journal is there: take the setting back");
        }
        if (!journal.isNew()) {
            requireSameAge(directory, catalogue, journal);
        }
        return lost;
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
