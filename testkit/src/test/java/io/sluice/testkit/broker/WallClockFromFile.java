package io.sluice.testkit.broker;

import io.sluice.base.time.Clock;
import io.sluice.base.time.SystemClock;
import io.sluice.server.Main;
import io.sluice.storage.file.LocalFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The product's process with a wall clock that a test sets: the real one and an offset, read from a file whenever the time
 * is asked. The monotonic clock is the real one, as it is when somebody sets a machine's clock.
 */
public final class WallClockFromFile implements Clock {
    /** Environment variable that names the file. */
    static final String FILE_VARIABLE = "SLUICE_TESTKIT_CLOCK";

    private final Path file;

    private WallClockFromFile(Path file) {
        this.file = file;
    }

    /** As the product's. */
    @SuppressWarnings("checkstyle:Regexp") // a process of its own, which ends as the product's does
    public static void main(String[] arguments) {
        Path file = Path.of(System.getenv(FILE_VARIABLE));
        System.exit(Main.runProcess(new LocalFileSystem(), new WallClockFromFile(file), arguments));
    }

    /** Sets the clock of nodes that read the file by so much ahead of the real time, or behind. */
    public static void set(Path file, Duration ahead) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(next, Long.toString(ahead.toMillis()));
        Files.move(next, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    /** What to put before the command of a node that is to read the file. */
    public static java.util.List<String> prefix(Path file) {
        return java.util.List.of("env", FILE_VARIABLE + "=" + file);
    }

    @Override
    public long epochMillis() {
        try {
            return SystemClock.INSTANCE.epochMillis() + Long.parseLong(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long nanoTime() {
        return SystemClock.INSTANCE.nanoTime();
    }
}
