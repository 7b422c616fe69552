package io.sluice.testkit.broker;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.process.ChildProcess;
import io.sluice.testkit.process.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A broker started by one command line, again and again on the same data. */
public final class BrokerProcess implements BrokerUnderTest {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(90);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);

    /**
     * How to run it.
     *
     * @param adminAddress where health and metrics are; null if it has none
     * @param command program and arguments
     * @param readyLine printed when it serves
     * @param directory holds everything it writes; deleted at the end
     */
    record Launch(
            BrokerKind kind,
            InetSocketAddress address,
            @Nullable InetSocketAddress adminAddress,
            List<String> command,
            Pattern readyLine,
            Path directory,
            Path dataDirectory) {}

    private final Launch launch;
    private @Nullable ChildProcess process;

    BrokerProcess(Launch launch) {
        this.launch = launch;
    }

    @Override
    public BrokerKind kind() {
        return launch.kind();
    }

    @Override
    public InetSocketAddress address() {
        return launch.address();
    }

    @Override
    public InetSocketAddress adminAddress() {
        if (launch.adminAddress() == null) {
            throw new IllegalStateException(launch.kind() + " has no admin port.");
        }
        return launch.adminAddress();
    }

    @Override
    public long pid() {
        return current().pid();
    }

    @Override
    public boolean alive() {
        return process != null && process.alive();
    }

    @Override
    public Path dataDirectory() {
        return launch.dataDirectory();
    }

    @Override
    public Duration start() throws IOException, InterruptedException {
        if (alive()) {
            throw new IllegalStateException(launch.kind() + " is running already, pid " + pid());
        }
        long startNanos = SystemClock.INSTANCE.nanoTime();
        process = ChildProcess.start(
                launch.kind().toString(), launch.command(), java.util.Map.of(), launch.readyLine(), outputFile());
        current().awaitReady(START_TIMEOUT);
        return Duration.ofNanos(SystemClock.INSTANCE.nanoTime() - startNanos);
    }

    @Override
    public void kill9() throws InterruptedException {
        current().kill9();
    }

    @Override
    public Duration stop() throws InterruptedException {
        return current().terminate(STOP_TIMEOUT);
    }

    @Override
    public void signal(String signal) throws IOException, InterruptedException {
        current().signal(signal);
    }

    @Override
    public Path outputFile() {
        return launch.directory().resolve("output.log");
    }

    @Override
    public String lastOutput() {
        return process == null ? "" : process.lastOutput();
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            process.close();
        }
        deleteTree(launch.directory());
    }

    private ChildProcess current() {
        if (process == null) {
            throw new IllegalStateException(launch.kind() + " has not been started.");
        }
        return process;
    }

    /** A new directory for one broker's files. */
    static Path newDirectory(String prefix) throws IOException {
        return Files.createTempDirectory(
                Files.createDirectories(Settings.target().resolve("brokers")), prefix);
    }

    private static void deleteTree(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                if (failure != null) {
                    throw new UncheckedIOException(failure);
                }
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
