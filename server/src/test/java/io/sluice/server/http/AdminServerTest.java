package io.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.error.UserException;
import io.sluice.server.process.NamedThreads;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdminServerTest {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int LARGE_BYTES = 8 << 20;

    private final NodeHealth health = new NodeHealth();
    private final AtomicInteger largePages = new AtomicInteger();
    private AdminServer server;

    @BeforeEach
    void start() {
        server = AdminServer.start(
                "127.0.0.1",
                0,
                Map.of("/health/ready", health::readyPage, "/health/live", health::livePage, "/large", this::largePage),
                new NamedThreads("admin"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Page largePage() {
        largePages.incrementAndGet();
        return new Page(200, "text/plain", new byte[LARGE_BYTES]);
    }

    private record Answer(int status, String body) {}

    private Answer request(String method, String path) throws Exception {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + server.port() + path).toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        int status = connection.getResponseCode();
        var in = status < 400 ? connection.getInputStream() : connection.getErrorStream();
        String body = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        return new Answer(status, body);
    }

    @Test
    void isLiveBeforeItIsReady() throws Exception {
        health.toStep("recovering");
        health.toProgress(3, 10);

        assertThat(request("GET", "/health/live").status()).isEqualTo(200);
        assertThat(request("GET", "/health/ready"))
                .isEqualTo(
                        new Answer(503, "{\"status\":\"starting\",\"step\":\"recovering\",\"done\":3,\"total\":10}\n"));
    }

    @Test
    void isReadyWhenTheNodeIs() throws Exception {
        health.toReady();

        assertThat(request("GET", "/health/ready")).isEqualTo(new Answer(200, "{\"status\":\"ready\"}\n"));
    }

    private static NodeHealth.Faults faults(int failedPartitions, String... causes) {
        return faults(failedPartitions, List.of(), causes);
    }

    private static NodeHealth.Faults faults(int failedPartitions, List<NodeHealth.Problem> problems, String... causes) {
        return new NodeHealth.Faults() {
            @Override
            public List<String> causes() {
                return List.of(causes);
            }

            @Override
            public int failedPartitions() {
                return failedPartitions;
            }

            @Override
            public List<NodeHealth.Problem> problems() {
                return problems;
            }
        };
    }

    @Test
    void isNotReadyAnyMoreWhenAWriteHasFailed() throws Exception {
        health.watch(faults(0, "A write failed."));
        health.toStep("opening listeners");
        assertThat(request("GET", "/health/ready").body()).contains("\"status\":\"starting\"");
        health.toReady();

        assertThat(request("GET", "/health/ready"))
                .isEqualTo(new Answer(503, "{\"status\":\"failed\",\"causes\":[\"A write failed.\"]}\n"));
        assertThat(request("GET", "/health/live").status()).isEqualTo(200);
    }

    @Test
    void tellsOfPartitionsThatAreNotServedAndIsReady() throws Exception {
        health.toReady();
        health.watch(faults(2));

        assertThat(request("GET", "/health/ready"))
                .isEqualTo(new Answer(200, "{\"status\":\"ready\",\"failedPartitions\":2}\n"));
    }

    @Test
    void tellsOfProblemsAndIsReady() throws Exception {
        health.toReady();
        health.watch(faults(0, List.of(new NodeHealth.Problem("records are missing", "Restore them."))));

        assertThat(request("GET", "/health/ready"))
                .isEqualTo(
                        new Answer(
                                200,
                                "{\"status\":\"ready\",\"problems\":[{\"problem\":\"records are missing\",\"advice\":\"Restore them.\"}]}\n"));
    }

    @Test
    void isNotReadyAnyMoreWhenTheNodeStops() throws Exception {
        health.toReady();
        health.toStopping();

        assertThat(request("GET", "/health/ready").status()).isEqualTo(503);
    }

    @Test
    void namesThePagesThereAre() throws Exception {
        assertThat(request("GET", "/metric"))
                .isEqualTo(new Answer(
                        404, "There is no page '/metric'; there are [/health/live, /health/ready, /large].\n"));
    }

    @Test
    void takesNothing() throws Exception {
        assertThat(request("POST", "/health/ready").status()).isEqualTo(405);
    }

    @Test
    void makesThePageOfTheNextRequestWhenTheClientHasTakenTheOneBefore() throws Exception {
        int requests = 16;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            String get = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n";
            String last = "GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write((get.repeat(requests - 1) + last).getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 20; i++) {
                request("GET", "/health/live");
            }
            assertThat(largePages.get()).isBetween(1, 4);

            long bytes = socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            assertThat(bytes).isGreaterThan((long) requests * LARGE_BYTES);
            assertThat(largePages).hasValue(requests);
        }
    }

    @Test
    void answersWhatIsNoHttp() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write("nonsense\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 400");
        }
    }

    @Test
    void refusesRequestsWithoutEnd() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            String body = "x".repeat(64 * 1024);
            socket.getOutputStream()
                    .write(("POST /health/ready HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length() + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));

            byte[] first = socket.getInputStream().readNBytes("HTTP/1.1 413".length());

            assertThat(new String(first, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 413");
        }
    }

    @Test
    void saysThatThePortIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

            assertThatThrownBy(() ->
                            AdminServer.start("127.0.0.1", taken.getLocalPort(), Map.of(), new NamedThreads("admin")))
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining("admin port 127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("--admin-port");
        }
    }

    @Test
    void answersAmongManyWhoOnlyHoldConnections() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 500; i++) {
                idle.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
            }

            assertThat(request("GET", "/health/live").status()).isEqualTo(200);
            // The first of them has made room.
            idle.get(0).setSoTimeout(TIMEOUT_MILLIS);
            assertThat(idle.get(0).getInputStream().read()).isEqualTo(-1);
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    @Test
    void takesAHeaderThatComesInPieces() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            String request =
                    "GET /health/live HTTP/1.1\r\nConnection: close\r\nLong: " + "x".repeat(6_000) + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));

            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 200");
        }
    }

    @ParameterizedTest
    @CsvSource({"GET /health/live HTTP/1.1\\r\\nLong: %s\\r\\n\\r\\n,431", "GET /%s HTTP/1.1\\r\\n\\r\\n,414"})
    void saysThatTheHeaderIsTooLarge(String request, int status) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            String sent = request.translateEscapes().formatted("x".repeat(100_000));
            socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));

            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(answer).startsWith("HTTP/1.1 " + status).contains("allowed are");
        }
    }
}
