package io.sluice.storage.file;

import io.sluice.base.error.FileFailures;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file or directory could not be opened or made, for want of a descriptor as a rule. Nothing was done to it, so what was
 * to be done, a force too, may be tried again.
 */
public final class CannotOpenException extends IOException {
    /** The system's words, of a process and of the whole system; the launcher sees to the language. */
    private static final String TOO_MANY = "Too many open files";

    private static final String TOO_MANY_IN_SYSTEM = "Too many open files in system";

    private final boolean lacksDescriptor;

    /** Names the file or directory. */
    public CannotOpenException(Path path, IOException cause) {
        this(path, cause, -1);
    }

    /**
     * Names the file or directory, and what to do where there are too many open.
     *
     * @param descriptorLimit how many this process may have open, or -1 where that is not known
     */
    CannotOpenException(Path path, IOException cause, long descriptorLimit) {
        super(path + ": " + text(cause, descriptorLimit), cause);
        lacksDescriptor = isTooMany(cause);
    }

    /** Whether that was for want of a descriptor: there are some again when others are closed. */
    public boolean lacksDescriptor() {
        return lacksDescriptor;
    }

    /** Whether an open failed for want of a descriptor. */
    static boolean isTooMany(IOException failure) {
        return words(failure).startsWith(TOO_MANY);
    }

    private static String text(IOException cause, long descriptorLimit) {
        String words = words(cause);
        if (words.startsWith(TOO_MANY_IN_SYSTEM)) {
            return "too many open files on this machine; fs.file-max bounds them";
        }
        if (words.startsWith(TOO_MANY)) {
            return "too many open files: this process may have no more"
                    + (descriptorLimit < 0 ? "" : " than " + descriptorLimit)
                    + ". Raise the limit (ulimit -Hn, or LimitNOFILE in a systemd unit), or let fewer connect"
                    + " (max.connections)";
        }
        return FileFailures.reason(cause);
    }

    private static String words(IOException failure) {
        @Nullable String words = failure instanceof FileSystemException onFile ? onFile.getReason() : failure.getMessage();
        return words == null ? "" : words;
    }
}
