package io.sluice.server;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.output.Assignment;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import io.sluice.server.config.ConfigSources;
import io.sluice.server.config.Listener;
import io.sluice.server.config.MachineLimits;
import io.sluice.server.config.NodeConfig;
import io.sluice.server.logging.Logging;
import io.sluice.server.process.LocalAddresses;
import io.sluice.storage.config.ListenerKeys;
import io.sluice.storage.file.FileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice start}: one node, in the foreground, until the process is asked to end. */
@Command(
        name = StartCommand.NAME,
        description = "Runs one node in the foreground until SIGTERM or SIGINT.",
        mixinStandardHelpOptions = true)
final class StartCommand implements Callable<Integer> {
    static final String NAME = "start";

    private final Console console;
    private final FileSystem files;

    @Option(names = "--data", paramLabel = "DIR", description = "Data directory (log.dirs). Default: ./data.")
    private @Nullable String data;

    @Option(names = "--host", paramLabel = "H", description = "Address to listen on. Default: 127.0.0.1.")
    private @Nullable String host;

    @Option(names = "--port", paramLabel = "N", description = "Port to listen on; 0 takes any free one. Default: 9092.")
    private @Nullable Integer port;

    @Option(
            names = "--advertise",
            paramLabel = "HOST:PORT",
            description = "Address that clients are told. Default: the one listened on.")
    private @Nullable String advertise;

    @Option(
            names = "--admin-port",
            paramLabel = "N",
            description = "HTTP port on loopback for metrics and health; 0 takes any free one. Default: 9644.")
    private @Nullable String adminPort;

    @Option(names = "--config", paramLabel = "FILE", description = "A file of key=value lines (see docs/config.md).")
    private @Nullable Path config;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            converter = Assignment.Converter.class,
            description = "A setting, over the file; may be repeated.")
    private List<Assignment> settings = new ArrayList<>();

    @Mixin
    private OutputOptions output = new OutputOptions();

    StartCommand(Console console, FileSystem files) {
        this.console = console;
        this.files = files;
    }

    @Override
    public Integer call() throws InterruptedException {
        NodeConfig nodeConfig = readConfig();
        Logging.configure(nodeConfig.values(), output.isJson());
        CountDownLatch stopped = new CountDownLatch(1);
        Node node = Node.start(nodeConfig, console.clock(), files);
        console.interrupts().accept(() -> {
            boolean clean = node.stop();
            stopped.countDown();
            if (!clean) {
                throw new UserException(
                        ExitCode.FAILED, "The node did not stop as it should; its log says which part failed.");
            }
        });
        Ready ready = node.ready();
        console.out().println(output.isJson() ? ready.json() : ready.line());
        console.out().flush();
        stopped.await();
        return ExitCode.OK.code();
    }

    private NodeConfig readConfig() {
        try {
            Map<String, String> texts = ConfigSources.merge(config, Assignment.byKey("--set", settings));
            override(texts);
            NodeConfig read = NodeConfig.read(texts, LocalAddresses::list);
            MachineLimits.ofThisProcess().require(read.values());
            return read;
        } catch (ConfigException e) {
            throw new UserException(ExitCode.CONFIG, String.valueOf(e.getMessage()), e);
        }
    }

    /** Options with names of their own win over {@code --set}. */
    private void override(Map<String, String> texts) {
        if (data != null) {
            texts.put("log.dirs", data);
        }
        if (host != null || port != null) {
            ConfigKey<List<String>> key = ListenerKeys.LISTENERS;
            String configured = texts.getOrDefault(key.name(), Objects.requireNonNull(key.defaultText()));
            texts.put(key.name(), Listener.override(configured, host, port));
        }
        if (advertise != null) {
            texts.put("advertised.listeners", "PLAINTEXT://" + advertise);
        }
        if (adminPort != null) {
            texts.put("sluice.admin.port", adminPort);
        }
    }
}
