package io.sluice.benchmarks.compare;

import java.nio.file.Path;
import java.util.List;

/**
 * Sluice as {@code ./sluice start} runs it, with default settings; the descriptor limit and heap are the launcher's.
 *
 * @param launcher the script at the root of the repository
 */
record SluiceContender(Path launcher) implements Contender {
    @Override
    public String title() {
        return "Sluice";
    }

    @Override
    public void prepare(Path directory, int port) {
        // Nothing: a new directory is formatted by the start itself, and that is timed.
    }

    @Override
    public List<String> command(Path directory, int port) {
        return List.of(
                launcher.toString(),
                "start",
                "--data",
                directory.toString(),
                "--port",
                Integer.toString(port),
                "--admin-port",
                "0");
    }
}
