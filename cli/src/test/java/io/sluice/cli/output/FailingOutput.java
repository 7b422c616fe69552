package io.sluice.cli.output;

import java.io.IOException;
import java.io.OutputStream;

/** A standard output that takes so many bytes and then fails in one way. */
public final class FailingOutput extends OutputStream {
    private final IOException failure;
    private long left;

    private FailingOutput(long bytes, String message) {
        left = bytes;
        failure = new IOException(message);
    }

    /** A pipe whose reader leaves after so many bytes. */
    public static FailingOutput brokenPipe(long bytes) {
        return new FailingOutput(bytes, "Broken pipe");
    }

    /** A disk with so much room. */
    public static FailingOutput fullDisk(long bytes) {
        return new FailingOutput(bytes, "No space left on device");
    }

    @Override
    public void write(int value) throws IOException {
        if (left-- <= 0) {
            throw failure;
        }
    }
}
