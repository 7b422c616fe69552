package io.sluice.cli.output;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where results go: UTF-8 whatever the locale says, not flushed by lines. A {@link PrintStream} forgets why it could not
 * write; this one knows. Safe on every thread.
 */
public final class ResultStream extends PrintStream {
    private final Remembering target;

    /** Prints to a stream, which is buffered if it is to be. */
    public ResultStream(OutputStream out) {
        this(new Remembering(out));
    }

    private ResultStream(Remembering target) {
        super(target, false, StandardCharsets.UTF_8);
        this.target = target;
    }

    /** Why something printed was lost, if anything was; flushes first. */
    public @Nullable IOException failure() {
        flush();
        return target.failure;
    }

    /** Whether something printed has been lost already; flushes nothing. */
    public boolean hasFailed() {
        return target.failure != null;
    }

    /** Whether whoever read the results went away, as {@code head} does when it has seen enough. */
    public boolean hasLostItsReader() {
        IOException failure = failure();
        return failure != null
                && Objects.requireNonNullElse(failure.getMessage(), "")
                        .toLowerCase(Locale.ROOT)
                        .contains("broken pipe");
    }

    /** Keeps the first failure. */
    private static final class Remembering extends FilterOutputStream {
        private volatile @Nullable IOException failure;

        Remembering(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int value) throws IOException {
            try {
                out.write(value);
            } catch (IOException e) {
                throw remembered(e);
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                throw remembered(e);
            }
        }

        @Override
        public void flush() throws IOException {
            try {
                out.flush();
            } catch (IOException e) {
                throw remembered(e);
            }
        }

        private IOException remembered(IOException e) {
            if (failure == null) {
                failure = e;
            }
            return e;
        }
    }
}
