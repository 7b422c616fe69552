package io.sluice.testkit.process;

import io.sluice.base.time.SystemClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A process that a test started: its output goes to a file and its last lines are kept for messages. Ends with the JVM at
 * the latest. Safe on every thread.
 */
public final class ChildProcess implements AutoCloseable {
    private static final int LINES_KEPT = 60;

    private final String name;
    private final Process process;
    private final @Nullable Pattern readyLine;
    private final CompletableFuture<String> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> outputEnded = new CompletableFuture<>();
    private final Deque<String> lastLines = new ArrayDeque<>();
    private final Thread reaper;
    private volatile @Nullable Awaited awaited;

    private record Awaited(Pattern line, CompletableFuture<String> printed) {}

    private ChildProcess(String name, Process process, @Nullable Pattern readyLine, Path output) {
        this.name = name;
        this.process = process;
        this.readyLine = readyLine;
        this.reaper = NamedThreads.unstarted("reaper of " + name, () -> killTree(process));
        Runtime.getRuntime().addShutdownHook(reaper);
        NamedThreads.start("output of " + name, () -> copyOutput(output));
    }

    /**
     * Starts a command.
     *
     * @param name for messages
     * @param command program and arguments
     * @param environment added to this process's own
     * @param readyLine matches the line that says it is ready; null if it has none
     * @param output file that stdout and stderr are appended to
     */
    public static ChildProcess start(
            String name,
            List<String> command,
            Map<String, String> environment,
            @Nullable Pattern readyLine,
            Path output)
            throws IOException {
        Files.createDirectories(output.toAbsolutePath().getParent());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        return new ChildProcess(name, process, readyLine, output);
    }

    /** Process id. */
    public long pid() {
        return process.pid();
    }

    /** Whether it has not ended. */
    public boolean alive() {
        return process.isAlive();
    }

    /**
     * Waits for the ready line.
     *
     * @return the line
     * @throws IllegalStateException with the last output, if the process ends first or the time is up
     */
    public String awaitReady(Duration timeout) throws InterruptedException {
        try {
            return ready.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    name + " was not ready after " + timeout.toSeconds() + " s. Its last output:\n" + lastOutput(), e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    name + " ended with " + exitText() + " before it was ready. Its last output:\n" + lastOutput(), e);
        }
    }

    /**
     * Waits until it prints a line that it has not printed yet. One at a time may wait.
     *
     * @throws IllegalStateException with the last output, if the process ends first or the time is up
     */
    public void awaitLine(Pattern line, Duration timeout) throws InterruptedException {
        CompletableFuture<String> printed = new CompletableFuture<>();
        awaited = new Awaited(line, printed);
        try {
            CompletableFuture.anyOf(printed, outputEnded).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            throw new IllegalStateException(name + " has not said " + line + ". Its last output:\n" + lastOutput(), e);
        }
        if (!printed.isDone()) {
            throw new IllegalStateException(
                    name + " ended before it said " + line + ". Its last output:\n" + lastOutput());
        }
    }

    /** Waits for the end and the last of its output; returns the exit status. */
    public int awaitExit(Duration timeout) throws InterruptedException {
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    name + " had not ended after " + timeout.toSeconds() + " s. Its last output:\n" + lastOutput());
        }
        awaitOutputEnd();
        forgetReaper();
        return process.exitValue();
    }

    /** SIGTERM, then waits for the end; returns how long that took. */
    public Duration terminate(Duration timeout) throws InterruptedException {
        long startNanos = SystemClock.INSTANCE.nanoTime();
        process.destroy();
        awaitExit(timeout);
        return Duration.ofNanos(SystemClock.INSTANCE.nanoTime() - startNanos);
    }

    /** SIGKILL to it and all its children, and waits until they are gone. */
    public void kill9() throws InterruptedException {
        killTree(process);
        awaitExit(Duration.ofSeconds(30));
    }

    /** Sends a signal by name ("STOP", "CONT"). */
    public void signal(String signal) throws IOException, InterruptedException {
        Commands.run("kill", "-" + signal, Long.toString(pid()));
    }

    /** The last lines that it printed. */
    public String lastOutput() {
        synchronized (lastLines) {
            return String.join("\n", lastLines);
        }
    }

    /** SIGKILL, and waits until it is gone. */
    @Override
    public void close() {
        if (process.isAlive()) {
            killTree(process);
            process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
        }
        outputEnded.orTimeout(10, TimeUnit.SECONDS).join();
        forgetReaper();
    }

    private void copyOutput(Path output) {
        try (BufferedReader reader =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                Writer writer = Files.newBufferedWriter(
                        output,
                        StandardCharsets.UTF_8,
                        java.nio.file.StandardOpenOption.CREATE,
                        java.nio.file.StandardOpenOption.APPEND)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                writer.write(line);
                writer.write('\n');
                writer.flush();
                onLine(line);
            }
        } catch (IOException e) {
            ready.completeExceptionally(e);
        } finally {
            ready.completeExceptionally(new IllegalStateException(name + " ended"));
            outputEnded.complete(null);
        }
    }

    private void onLine(String line) {
        synchronized (lastLines) {
            lastLines.addLast(line);
            if (lastLines.size() > LINES_KEPT) {
                lastLines.removeFirst();
            }
        }
        if (readyLine != null && readyLine.matcher(line).find()) {
            ready.complete(line);
        }
        Awaited now = awaited;
        if (now != null && now.line().matcher(line).find()) {
            now.printed().complete(line);
        }
    }

    private void awaitOutputEnd() throws InterruptedException {
        try {
            outputEnded.get(10, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException(name + " has ended but something still holds its output open.", e);
        } catch (ExecutionException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }

    private String exitText() {
        return process.isAlive() ? "no exit status" : "exit status " + process.exitValue();
    }

    private void forgetReaper() {
        try {
            Runtime.getRuntime().removeShutdownHook(reaper);
        } catch (IllegalStateException e) {
            // The JVM is on its way out and runs the reaper anyway.
            return;
        }
    }

    private static void killTree(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
