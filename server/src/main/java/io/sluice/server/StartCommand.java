package io.sluice.server;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.HostAndPort;
import io.sluice.cli.connect.LocalAddresses;
import io.sluice.cli.output.Assignment;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.NumberRange;
import io.sluice.cli.output.OutputOptions;
import io.sluice.server.config.ConfigSources;
import io.sluice.server.config.Listener;
import io.sluice.server.config.ListenerPlan;
import io.sluice.server.config.MachineLimits;
import io.sluice.server.config.NodeConfig;
import io.sluice.server.logging.Logging;
import io.sluice.storage.config.ListenerKeys;
import io.sluice.storage.config.StorageKeys;
import io.sluice.storage.file.FileSystem;
import java.net.InetAddress;
import java.net.UnknownHostException;
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
    @NumberRange(min = 0, max = 65_535)
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
    @NumberRange(min = 0, max = 65_535)
    private @Nullable Integer adminPort;

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
        ConfigSources sources = ConfigSources.merge(null, Map.of());
        try {
            sources = ConfigSources.merge(config, Assignment.byKey("--set", settings));
            return run(readConfig(sources));
        } catch (ConfigException e) {
            throw sources.toUserException(e, config != null);
        }
    }

    private int run(NodeConfig nodeConfig) throws InterruptedException {
        DataPath.requireDirectory(nodeConfig.dataDirectory());
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

    private NodeConfig readConfig(ConfigSources sources) {
        override(sources);
        NodeConfig read = NodeConfig.read(sources.texts(), LocalAddresses::list);
        MachineLimits machine = MachineLimits.ofThisProcess();
        machine.require(read.values());
        machine.requireDescriptors();
        return read;
    }

    /** Options with names of their own win over {@code --set}. */
    private void override(ConfigSources sources) {
        if (data != null) {
            sources.override("--data", StorageKeys.LOG_DIRS.name(), data);
        }
        if (host != null || port != null) {
            requireKnownHost();
            ConfigKey<List<String>> key = ListenerKeys.LISTENERS;
            String configured = sources.texts().getOrDefault(key.name(), Objects.requireNonNull(key.defaultText()));
            // Before it is put together with an option: what is wrong with it is where it was written.
            ListenerPlan.requireKinds(key.parse(configured));
            sources.override(host == null ? "--port" : "--host", key.name(), Listener.override(configured, host, port));
        }
        if (advertise != null) {
            HostAndPort told = HostAndPort.parse("--advertise", advertise);
            sources.override("--advertise", ListenerKeys.ADVERTISED_LISTENERS.name(), "PLAINTEXT://" + told);
        }
        if (adminPort != null) {
            sources.override("--admin-port", ListenerKeys.ADMIN_PORT.name(), adminPort.toString());
        }
    }

    private void requireKnownHost() {
        if (host == null) {
            return;
        }
        if (host.isBlank()) {
            throw new UserException(
                    ExitCode.USAGE,
                    "Invalid value '" + host + "' for --host: allowed is a host or an address of this" + " machine.");
        }
        try {
            InetAddress unused = InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new UserException(
                    ExitCode.USAGE,
                    "Invalid value '" + host + "' for --host: this machine knows no host '" + host + "', but "
                            + String.join(", ", LocalAddresses.list()) + ".",
                    e);
        }
    }
}
