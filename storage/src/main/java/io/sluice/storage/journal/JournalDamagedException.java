package io.sluice.storage.journal;

import java.io.IOException;

/** Entries that had been acknowledged are missing or broken: the disk, or somebody at the files, has lost them. */
public final class JournalDamagedException extends IOException {
    /**
     * Names the file and the place.
     *
     * @param message one line: which file, which position, what was expected
     */
    public JournalDamagedException(String message) {
        super(message + "; records acknowledged before may be lost: " + JournalMismatchException.ADVICE);
    }
}
