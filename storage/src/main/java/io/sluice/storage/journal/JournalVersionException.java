package io.sluice.storage.journal;

import java.io.IOException;
import java.nio.file.Path;

/** A journal file of a format that this version does not know. */
public final class JournalVersionException extends IOException {
    private final int version;

    JournalVersionException(int version) {
        super("journal format " + version + " is not known to this version, which reads and writes format "
                + JournalFormat.VERSION + "; start the version of Sluice that wrote it");
        this.version = version;
    }

    private JournalVersionException(Path file, JournalVersionException cause) {
        super(file + ": " + cause.getMessage(), cause);
        this.version = cause.version;
    }

    /** The same, with the file's name. */
    JournalVersionException in(Path file) {
        return new JournalVersionException(file, this);
    }

    /** The format found. */
    public int version() {
        return version;
    }
}
