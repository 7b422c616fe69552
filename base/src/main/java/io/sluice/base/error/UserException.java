package io.sluice.base.error;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure that the person at the keyboard can mend. The message is one line: which thing, which value, what is
 * allowed, what to do. It is printed without a stack trace.
 */
public final class UserException extends RuntimeException {
    private final ExitCode exitCode;

    /**
     * An error to show.
     *
     * @param exitCode what the process ends with
     * @param message one line
     */
    public UserException(ExitCode exitCode, String message) {
        this(exitCode, message, null);
    }

    /**
     * An error to show, with what caused it (kept for logs at debug level, not printed).
     *
     * @param exitCode what the process ends with
     * @param message one line
     */
    public UserException(ExitCode exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** What the process ends with. */
    public ExitCode exitCode() {
        return exitCode;
    }

    /** The one line to print. */
    public String line() {
        return Objects.requireNonNull(getMessage());
    }
}
