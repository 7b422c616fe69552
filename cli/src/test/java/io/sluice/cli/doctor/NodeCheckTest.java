package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.doctor.Finding.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
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
