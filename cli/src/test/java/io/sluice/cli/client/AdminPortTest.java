package io.sluice.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.HostAndPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AdminPortTest {
    private HttpServer server;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private AdminPort serving(int status, String body) {
        server.createContext("/clients", exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        return new AdminPort(new HostAndPort("127.0.0.1", server.getAddress().getPort()), Duration.ofSeconds(10));
    }

    private static UserException refusal(AdminPort port) {
        return catchThrowableOfType(UserException.class, port::clients);
    }

    private static ConnectedClient client(String id) {
        return new ConnectedClient(id, "apache-kafka-java", "4.4.0", "127.0.0.1:1", "PLAINTEXT", "now", List.of());
    }

    @Test
    void readsWhoIsConnected() {
        AdminPort port = serving(
                200,
                "[{\"id\":1,\"clientId\":\"a\",\"softwareName\":\"x\",\"softwareVersion\":\"1\",\"address\":\"h:1\","
                        + "\"listener\":\"PLAINTEXT\",\"connectedAt\":\"t\",\"topics\":[\"orders\"],\"bytesIn\":5}]");

        assertThat(port.clients())
                .containsExactly(new ConnectedClient("a", "x", "1", "h:1", "PLAINTEXT", "t", List.of("orders")));
    }

    @Test
    void seesThatSomethingElseAnswers() {
        assertThat(refusal(serving(200, "<html>")).exitCode()).isEqualTo(ExitCode.BAD_DATA);
    }

    @Test
    void seesThatSomethingElseAnswersWithAnError() {
        UserException refusal = refusal(serving(404, "no"));

        assertThat(refusal.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(refusal.line()).contains("HTTP 404");
    }

    @Test
    void waitsForANodeThatStarts() {
        assertThat(refusal(serving(503, "{}")).exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    }

    @Test
    void knowsTheRightNodeByItsOwnConnection() {
        HostAndPort address = new HostAndPort("127.0.0.1", 9644);
        ClientListCommand command = new ClientListCommand(new io.sluice.cli.output.RecordingConsole().console());

        assertThat(command.withoutAsker(List.of(client("a"), client("asker")), "asker", address))
                .containsExactly(client("a"));
        UserException refusal = catchThrowableOfType(
                UserException.class, () -> command.withoutAsker(List.of(client("a")), "asker", address));
        assertThat(refusal.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(refusal.line()).contains("127.0.0.1:9644", "is not the one at", "--admin");
    }
}
