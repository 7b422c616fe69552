package io.sluice.storage.journal;

import java.io.IOException;

/** A journal and a data directory that do not belong together: to go on would lose records that were acknowledged. */
public final class JournalMismatchException extends IOException {
    /** What to do where a journal is missing or not the right one. */
    static final String ADVICE =
            "give the journal directory that belongs to the data directory (sluice.journal.dir), or restore both from one"
                    + " copy; to give up what only the journal holds, which is what was appended since the last checkpoint,"
                    + " move the journal directory away and start once with --set sluice.journal.accept.loss=true";

    /** What to do with a journal that is another data directory's, which a node may be using: it stays where it is. */
    private static final String ADVICE_ON_ANOTHERS =
            "leave it to its node; give the journal directory that belongs to this data directory (sluice.journal.dir), or"
                    + " for a new data directory one that is empty or does not exist yet";

    private JournalMismatchException(String message, String advice) {
        super(message + "; " + advice);
    }

    /**
     * The journal is another data directory's.
     *
     * @param message one line: which file, and that it is another's
     */
    static JournalMismatchException ofAnother(String message) {
        return new JournalMismatchException(message, ADVICE_ON_ANOTHERS);
    }

    /**
     * Says what does not fit; what to do is added.
     *
     * @param message one line: which directory, what was found, what was expected
     */
    public JournalMismatchException(String message) {
        this(message, ADVICE);
    }
}
