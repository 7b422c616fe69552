package io.sluice.server;

import io.sluice.base.time.SystemClock;
import io.sluice.cli.Cli;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.ResultStream;
import io.sluice.server.config.NodeConfig;
import io.sluice.server.logging.Logging;
import io.sluice.storage.file.LocalFileSystem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

/**
 * Does for some seconds what a node and the commands do, so that the build can archive the classes they load
 * (packaging/class-archive). Never runs in a node.
 */
public final class TrainingRun {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final String LINES = "one:1\ntwo:2\nthree:3\n";

    private final ResultStream nowhere = new ResultStream(OutputStream.nullOutputStream());
    private final Path directory;

    private TrainingRun(Path directory) {
        this.directory = directory;
    }

    /**
     * Runs once and ends; fails when a command does.
     *
     * @param arguments an empty directory, which the build deletes afterwards, also when it is interrupted
     */
    public static void main(String[] arguments) throws IOException {
        new TrainingRun(Path.of(arguments[0])).run();
    }

    private void run() throws IOException {
        Path log = directory.resolve("node.log");
        NodeConfig config = NodeConfig.read(
                Map.of(
                        "log.dirs", directory.resolve("data").toString(),
                        "listeners", "PLAINTEXT://127.0.0.1:0",
                        "sluice.admin.port", "0",
                        "sluice.logging.level", "warn",
                        "sluice.logging.file", log.toString(),
                        "group.initial.rebalance.delay.ms", "0"),
                List::of);
        Logging.configure(config.values(), false);
        Cli.run(Main.startOnly(console(""), new LocalFileSystem()), console(""), "start", "--help");
        Node node = Node.start(config, SystemClock.INSTANCE, new LocalFileSystem());
        try {
            Ready ready = node.ready();
            get("http://127.0.0.1:" + ready.adminPort() + "/metrics");
            get("http://127.0.0.1:" + ready.adminPort() + "/health/ready");
            command(ready, "topic", "create", "training", "--partitions", "2");
            command(ready, "produce", "training", "--key-separator", ":");
            command(ready, "produce", "training", "--compression", "lz4", "--header", "a=b");
            command(ready, "consume", "training");
            command(ready, "consume", "training", "-o", "json", "--count", "1");
            command(ready, "consume", "training", "--group", "training");
            command(ready, "topic", "list");
            command(ready, "topic", "describe", "training");
            command(ready, "topic", "alter", "training", "--config", "retention.ms=1000000");
            command(ready, "group", "list");
            command(ready, "group", "describe", "training");
            command(ready, "client", "list");
            command(ready, "topic", "delete", "training");
        } finally {
            node.close();
        }
        String said = Files.readString(log);
        if (!said.isEmpty()) {
            throw new IOException("a run without any mistake has something to warn of:\n" + said);
        }
    }

    private Console console(String input) {
        return new Console(
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                nowhere,
                System.err,
                false,
                false,
                false,
                SystemClock.INSTANCE,
                ZoneId.systemDefault(),
                Map.of(),
                task -> {});
    }

    private void command(Ready ready, String... words) throws IOException {
        String[] arguments = java.util.Arrays.copyOf(words, words.length + 2);
        arguments[words.length] = "--bootstrap-server";
        arguments[words.length + 1] = ready.address();
        int code = Main.run(console(LINES), arguments);
        if (code != 0) {
            throw new IOException("'sluice " + String.join(" ", words) + "' ended with " + code);
        }
    }

    private static void get(String address) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(address).toURL().openConnection();
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        connection.getInputStream().readAllBytes();
        connection.disconnect();
    }
}
