package io.sluice.testkit.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Short commands of the operating system. */
public final class Commands {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private Commands() {}

    /** What a command left: exit status and its output, stderr included. */
    public record Outcome(int exitStatus, String output) {}

    /**
     * Runs a command that must succeed.
     *
     * @return its output, trimmed
     */
    public static String run(String... command) throws IOException, InterruptedException {
        Outcome outcome = attempt(List.of(command), TIMEOUT);
        if (outcome.exitStatus() != 0) {
            throw new IOException(
                    String.join(" ", command) + " ended with " + outcome.exitStatus() + ": " + outcome.output());
        }
        return outcome.output().trim();
    }

    /** Runs a command and returns whatever came of it; one that takes too long is killed and is an error. */
    public static Outcome attempt(List<String> command, Duration timeout) throws IOException, InterruptedException {
        Path output = Files.createTempFile("sluice-testkit", ".out");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
                throw new IOException(String.join(" ", command) + " had not ended after " + timeout.toSeconds() + " s: "
                        + Files.readString(output));
            }
            return new Outcome(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** Whether a program of that name is on the path. */
    public static boolean exists(String program) {
        String path = System.getenv().getOrDefault("PATH", "");
        for (String directory : path.split(":", -1)) {
            if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, program))) {
                return true;
            }
        }
        return false;
    }
}
