package io.sluice.storage.file;

import io.sluice.base.error.FileFailures;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A file or directory that is there could not be opened, for want of a handle as a rule. Nothing was done to it, so what was
 * to be done, a force too, may be tried again.
 */
public final class CannotOpenException extends IOException {
    /** Names the file or directory. */
    public CannotOpenException(Path path, IOException cause) {
        super(path + ": " + FileFailures.reason(cause), cause);
    }
}
