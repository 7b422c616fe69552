package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.sluice.cli.doctor.Finding.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node of which a made-up /proc and a socket tell. */
class NodeCheckTest {
    private static final long NODE = 4711;

    @TempDir
    private Path root;

    private NodeCheck check(int adminPort) {
        return new NodeCheck(
                new SystemFiles(root), new DirectoryUse(true, OptionalLong.of(NODE)), "127.0.0.1", adminPort, 300);
    }

    private void state(String state) throws IOException {
        Files.writeString(
                Files.createDirectories(root.resolve("proc/" + NODE)).resolve("status"),
                "Name:\tjava\nState:\t" + state + "\nTgid:\t4711\n");
    }

    @Test
    void hasNothingToSayWithoutANode() {
        assertThat(new NodeCheck(new SystemFiles(root), DirectoryUse.NONE, "127.0.0.1", 1, 300).run())
                .isEmpty();
    }

    @Test
    void saysHowToLetAStoppedNodeGoOn() throws Exception {
        state("T (stopped)");

        Finding finding = check(1).run().get(0);

        assertThat(finding.status()).isEqualTo(Status.PROBLEM);
        assertThat(finding.advice()).contains("kill -CONT " + NODE);
    }

    @Test
    void givesUpOnANodeThatDoesNotAnswer() throws Exception {
        state("S (sleeping)");
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Finding finding = check(silent.getLocalPort()).run().get(0);

            assertThat(finding.status()).isEqualTo(Status.PROBLEM);
            assertThat(finding.found()).contains("does not answer");
        }
    }

    /** What is found of a node whose admin port answers so. */
    private List<Finding> answering(int status, String body) throws IOException {
        state("S (sleeping)");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        server.createContext("/health/ready", exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        try {
            return new NodeCheck(
                            new SystemFiles(root),
                            new DirectoryUse(true, OptionalLong.of(NODE)),
                            "127.0.0.1",
                            server.getAddress().getPort(),
                            10_000)
                    .run();
        } finally {
            server.stop(0);
        }
    }

    @Test
    void isContentWithANodeThatIsReady() throws Exception {
        assertThat(answering(200, "{\"status\":\"ready\"}\n"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.status()).isEqualTo(Status.OK));
    }

    @Test
    void tellsEachProblemOfANodeThatServesTheRest() throws Exception {
        List<Finding> findings = answering(
                200,
                "{\"status\":\"ready\",\"failedPartitions\":2,\"problems\":[{\"problem\":\"two are lost\",\"advice\":\"Look.\"},"
                        + "{\"problem\":\"it is full\",\"advice\":\"Free some.\"}]}\n");

        assertThat(findings)
                .containsExactly(
                        Finding.problem(
                                "node", "this data directory's node, process 4711, serves, but two are lost", "Look."),
                        Finding.problem(
                                "node",
                                "this data directory's node, process 4711, serves, but it is full",
                                "Free some."));
    }

    @Test
    void tellsWhyANodeHasGivenUpWriting() throws Exception {
        Finding finding = answering(503, "{\"status\":\"failed\",\"causes\":[\"x is gone\"]}\n")
                .get(0);

        assertThat(finding.status()).isEqualTo(Status.PROBLEM);
        assertThat(finding.found()).contains("has given up writing", "x is gone");
    }

    @Test
    void waitsForANodeThatIsStarting() throws Exception {
        Finding finding = answering(503, "{\"status\":\"starting\",\"step\":\"recovering\"}\n")
                .get(0);

        assertThat(finding.status()).isEqualTo(Status.WARNING);
        assertThat(finding.found()).contains("is not ready", "recovering");
    }

    @Test
    void doesNotTakeWhateverAnswersThereForANode() throws Exception {
        for (String body : List.of("<html>", "null", "[]")) {
            assertThat(answering(200, body)).as(body).singleElement().satisfies(finding -> {
                assertThat(finding.status()).isEqualTo(Status.WARNING);
                assertThat(finding.found()).contains("cannot be asked on its admin port");
            });
        }
    }

    @Test
    void saysThatTheAdminPortIsAnother() throws Exception {
        state("S (sleeping)");
        Files.createDirectories(root.resolve("proc/" + NODE + "/fd"));
        Files.writeString(Files.createDirectories(root.resolve("proc/net")).resolve("tcp"), "  sl  local_address\n");

        Finding finding = check(1).run().get(0);

        assertThat(finding.status()).isEqualTo(Status.WARNING);
        assertThat(finding.advice()).contains("--admin-host", "--admin-port");
    }

    @Test
    void saysThatTheNodeIsNotSeenFromHere() {
        DirectoryUse unseen = new DirectoryUse(true, OptionalLong.empty());

        Finding finding = new NodeCheck(new SystemFiles(root), unseen, "127.0.0.1", 1, 300)
                .run()
                .get(0);

        assertThat(finding.status()).isEqualTo(Status.WARNING);
        assertThat(finding.found()).contains("not seen from here");
    }
}
