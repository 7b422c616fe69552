package io.sluice.storage.file;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The device is full, or the user's quota on it is. */
public final class OutOfSpaceException extends IOException {
    /** Names the file that could not grow. */
    public OutOfSpaceException(Path file, @Nullable Throwable cause) {
        super("no space left to write " + file, cause);
    }
}
