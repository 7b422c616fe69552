package io.sluice.cli.client;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.HostAndPort;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import io.sluice.cli.output.TextTable;
import io.sluice.storage.config.ListenerKeys;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code sluice client list}. Kafka's protocol does not tell who is connected: the node's HTTP port does, and the node's
 * settings tell which port that is.
 */
@Command(
        name = "list",
        description =
                "Lists the connected clients. Asks the node's admin port, which listens on the node's own machine only.",
        mixinStandardHelpOptions = true)
final class ClientListCommand implements Runnable {
    private static final Set<String> EVERY_ADDRESS = Set.of("0.0.0.0", "::", "[::]");

    private final Console console;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            description = "The node's admin port. Default: what the node at --bootstrap-server tells.")
    private @Nullable String admin;

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    ClientListCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        List<ConnectedClient> clients = admin == null
                ? ofBootstrapServer()
                : at(HostAndPort.parse("--admin", admin)).clients();
        TextTable table = new TextTable("ID", "SOFTWARE", "VERSION", "ADDRESS", "LISTENER", "CONNECTED", "TOPICS");
        clients.forEach(client -> table.row(
                client.clientId(),
                client.softwareName(),
                client.softwareVersion(),
                client.address(),
                client.listener(),
                client.connectedAt(),
                String.join(",", client.topics())));
        output.print(console, clients, table);
    }

    private AdminPort at(HostAndPort address) {
        return new AdminPort(address, connect.timeout());
    }

    /** Asks under a name of its own, by which it knows the right node's list: another may be on this machine. */
    private List<ConnectedClient> ofBootstrapServer() {
        String asker = "sluice-cli-" + ProcessHandle.current().pid() + "-"
                + console.clock().epochMillis();
        try (AdminSession session = AdminSession.open(connect, asker)) {
            AdminPort port = at(adminAddress(session));
            return withoutAsker(port.clients(), asker, port.address());
        }
    }

    List<ConnectedClient> withoutAsker(List<ConnectedClient> all, String asker, HostAndPort address) {
        List<ConnectedClient> others =
                all.stream().filter(client -> !client.clientId().equals(asker)).toList();
        if (others.size() == all.size()) {
            throw new UserException(
                    ExitCode.FAILED,
                    "The node whose admin port is " + address + " is not the one at " + connect.bootstrapServer()
                            + ". Run this on that node's own machine, or name its admin port with --admin HOST:PORT.");
        }
        return others;
    }

    private HostAndPort adminAddress(AdminSession session) {
        Node node = session.await(session.admin().describeCluster().nodes())
                .iterator()
                .next();
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, node.idString());
        Config config = session.await(
                        session.admin().describeConfigs(List.of(broker)).all())
                .get(broker);
        String host = value(config, ListenerKeys.ADMIN_HOST);
        String port = value(config, ListenerKeys.ADMIN_PORT);
        if (host == null || port == null) {
            throw new UserException(
                    ExitCode.FAILED,
                    "The node at " + connect.bootstrapServer() + " does not tell its admin port ("
                            + ListenerKeys.ADMIN_PORT.name() + "): give it with --admin HOST:PORT.");
        }
        return new HostAndPort(EVERY_ADDRESS.contains(host) ? node.host() : host, Integer.parseInt(port));
    }

    private static @Nullable String value(@Nullable Config config, ConfigKey<?> key) {
        ConfigEntry entry = config == null ? null : config.get(key.name());
        return entry == null ? null : entry.value();
    }
}
