package io.sluice.cli.record;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Lines as bytes, without the {@code \n} that ends them; nothing is decoded, and a {@code \r} stays. For one thread. */
final class LineReader {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final InputStream in;
    private final int maxLineBytes;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int limit;
    private long bytesRead;
    private long lines;

    LineReader(InputStream in, int maxLineBytes) {
        this.in = in;
        this.maxLineBytes = maxLineBytes;
    }

    /** The next line, or null at the end. */
    byte @Nullable [] next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        boolean started = false;
        while (position < limit || fill()) {
            started = true;
            int end = indexOfNewline();
            line.write(buffer, position, end - position);
            requireFits(line.size());
            if (end < limit) {
                position = end + 1;
                return finish(line);
            }
            position = limit;
        }
        return started ? finish(line) : null;
    }

    /** Bytes taken from the input so far. */
    long bytesRead() {
        return bytesRead - (limit - position);
    }

    /** Number of the line that {@link #next} returned last, from 1. */
    long lineNumber() {
        return lines;
    }

    private boolean fill() throws IOException {
        int count = in.read(buffer, 0, buffer.length);
        if (count <= 0) {
            return false;
        }
        position = 0;
        limit = count;
        bytesRead += count;
        return true;
    }

    private int indexOfNewline() {
        for (int i = position; i < limit; i++) {
            if (buffer[i] == '\n') {
                return i;
            }
        }
        return limit;
    }

    private byte[] finish(ByteArrayOutputStream line) {
        lines++;
        return line.toByteArray();
    }

    private void requireFits(int bytes) {
        if (bytes > maxLineBytes) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    "Line " + (lines + 1) + " is longer than " + maxLineBytes + " bytes, the most that can be sent.");
        }
    }
}
