package io.sluice.cli.client;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.HostAndPort;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.OutputOptions;
import io.sluice.cli.output.TextTable;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
    private static final String ADMIN_PORT_KEY = "sluice.admin.port";
    private static final int MAX_ANSWER_BYTES = 64 * 1024 * 1024;

    private final Console console;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            description = "The node's admin port. Default: 127.0.0.1 and what the node at --bootstrap-server tells.")
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
        HostAndPort address = admin == null ? askForAddress() : HostAndPort.parse("--admin", admin);
        List<Listed> clients = List.of(read(address));
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

    private HostAndPort askForAddress() {
        try (AdminSession session = AdminSession.open(connect)) {
            Node node = session.await(session.admin().describeCluster().nodes())
                    .iterator()
                    .next();
            ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, node.idString());
            Config config = session.await(
                            session.admin().describeConfigs(List.of(broker)).all())
                    .get(broker);
            ConfigEntry port = config == null ? null : config.get(ADMIN_PORT_KEY);
            if (port == null || port.value() == null) {
                throw new UserException(
                        ExitCode.FAILED,
                        "The node at " + connect.bootstrapServer() + " does not tell its admin port (" + ADMIN_PORT_KEY
                                + "): give it with --admin HOST:PORT.");
            }
            return new HostAndPort("127.0.0.1", Integer.parseInt(port.value()));
        }
    }

    private Listed[] read(HostAndPort address) {
        int timeoutMillis = Math.toIntExact(connect.timeout().toMillis());
        try {
            URL url = URI.create("http://" + address + "/clients").toURL();
            HttpURLConnection connection = (HttpURLConnection) url.openConnection();
            connection.setConnectTimeout(timeoutMillis);
            connection.setReadTimeout(timeoutMillis);
            try (InputStream in = connection.getInputStream()) {
                String text = new String(in.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8);
                return Json.read(text, Listed[].class);
            } finally {
                connection.disconnect();
            }
        } catch (JsonProcessingException e) {
            throw new UserException(
                    ExitCode.BAD_DATA, "What answers at " + address + " is no admin port of a Sluice node.", e);
        } catch (IOException e) {
            throw new UserException(
                    ExitCode.UNAVAILABLE,
                    "No admin port answers at " + address + " (" + e.getMessage()
                            + "). Run this on the node's own machine, or name the port with --admin HOST:PORT.",
                    e);
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record Listed(
            String clientId,
            String softwareName,
            String softwareVersion,
            String address,
            String listener,
            String connectedAt,
            List<String> topics) {}
}
