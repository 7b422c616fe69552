package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.doctor.Finding.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A port that is taken, by whom a made-up /proc says. */
class PortCheckTest {
    private static final long NODE = 4711;
    private static final DirectoryUse RUNS = new DirectoryUse(true, OptionalLong.of(NODE));

    @TempDir
    private Path root;

    private ServerSocket taken;

    @BeforeEach
    void takeAPort() throws Exception {
        taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void giveItBack() throws Exception {
        taken.close();
    }

    private Finding port(DirectoryUse use) {
        return check("127.0.0.1", taken.getLocalPort(), "127.0.0.1", 0, use).get(0);
    }

    private List<Finding> check(String host, int port, String adminHost, int adminPort, DirectoryUse use) {
        return new PortCheck(new SystemFiles(root), host, port, adminHost, adminPort, use).run();
    }

    /** The port's socket has this inode; the node has that one open. */
    private void proc(String listening, String open) throws IOException {
        Path net = Files.createDirectories(root.resolve("proc/net"));
        String port = String.format("%04X", taken.getLocalPort());
        Files.writeString(
                net.resolve("tcp"),
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
                        + "   0: 0100007F:" + port + " 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 "
                        + listening + " 1 0000000000000000 100 0 0 10 0\n"
                        + "   1: 0100007F:" + port + " 0100007F:9999 01 00000000:00000000 00:00000000 00000000 0 0 "
                        + open + " 1 0000000000000000 20 4 30 10 -1\n");
        Path descriptors = Files.createDirectories(root.resolve("proc/" + NODE + "/fd"));
        Files.createSymbolicLink(descriptors.resolve("0"), Path.of("/dev/null"));
        Files.createSymbolicLink(descriptors.resolve("7"), Path.of("socket:[" + open + "]"));
    }

    @Test
    void isFineWithAFreePort() throws Exception {
        taken.close();

        assertThat(port(DirectoryUse.NONE).status()).isEqualTo(Status.OK);
    }

    @Test
    void listsTheAddressesThereAreWhereTheOneWantedIsOfNoInterface() {
        List<Finding> findings = check("203.0.113.1", 9092, "203.0.113.2", 9644, DirectoryUse.NONE);

        assertThat(findings).extracting(Finding::status).containsOnly(Status.PROBLEM);
        assertThat(findings.get(0).found()).contains("this machine has no address 203.0.113.1; it has ", "127.0.0.1");
        assertThat(findings.get(0).advice()).contains("--host H").doesNotContain("--port");
        assertThat(findings.get(1).advice()).contains("--admin-host H");
    }

    @Test
    void callsAPortOfSomebodyElseAProblem() {
        Finding finding = port(DirectoryUse.NONE);

        assertThat(finding.status()).isEqualTo(Status.PROBLEM);
        assertThat(finding.found()).contains("127.0.0.1:" + taken.getLocalPort(), "Address already in use");
        assertThat(finding.advice()).contains("--port");
    }

    @Test
    void isFineWithThePortOfThisDirectorysNode() throws Exception {
        proc("100", "100");

        Finding finding = port(RUNS);

        assertThat(finding.status()).isEqualTo(Status.OK);
        assertThat(finding.found()).contains("process " + NODE);
    }

    @Test
    void callsItAProblemWhenTheNodeListensElsewhere() throws Exception {
        proc("100", "200");

        assertThat(port(RUNS).status()).isEqualTo(Status.PROBLEM);
    }

    @Test
    void doesNotTakeTheNodeForTheReasonOfEveryRefusal() throws Exception {
        proc("100", "100");

        Finding finding = check("a..b", 1, "127.0.0.1", 0, RUNS).get(0);

        assertThat(finding.status()).isEqualTo(Status.PROBLEM);
    }

    @Test
    void saysThatItDoesNotKnowWhoListens() {
        Finding finding = port(RUNS);

        assertThat(finding.status()).isEqualTo(Status.WARNING);
        assertThat(finding.advice()).contains("process " + NODE);
    }

    @Test
    void knowsTheAdminPortOnAnAddressOfItsOwn() throws Exception {
        proc("100", "100");

        Finding finding =
                check("127.0.0.1", 0, "127.0.0.1", taken.getLocalPort(), RUNS).get(1);
        // TEST-NET-1 of RFC 5737: no machine has it.
        Finding elsewhere =
                check("127.0.0.1", 0, "203.0.113.1", taken.getLocalPort(), RUNS).get(1);

        assertThat(finding.status()).isEqualTo(Status.OK);
        assertThat(elsewhere.status()).isEqualTo(Status.PROBLEM);
        assertThat(elsewhere.found()).contains("203.0.113.1:" + taken.getLocalPort());
    }

    @Test
    void doesNotBlameAnybodyForThePortWhereTheNodeIsNotSeen() {
        Finding finding = port(new DirectoryUse(true, OptionalLong.empty()));

        assertThat(finding.status()).isEqualTo(Status.WARNING);
        assertThat(finding.advice()).startsWith("If that is not this data directory's node: ");
    }

    @Test
    void doesNotTakeTheNodeForWhoeverHasItsPortOnAnotherAddress() throws Exception {
        proc("100", "100");

        // TEST-NET-1 of RFC 5737: no machine has it.
        Finding finding =
                check("203.0.113.1", taken.getLocalPort(), "127.0.0.1", 0, RUNS).get(0);

        assertThat(finding.status()).isEqualTo(Status.PROBLEM);
    }

    @Test
    void saysThatTheNodeDoesNotListenOnAFreePort() throws Exception {
        taken.close();

        Finding finding = port(RUNS);

        assertThat(finding.status()).isEqualTo(Status.WARNING);
        assertThat(finding.found()).contains("process " + NODE, "does not listen there");
    }

    @Test
    void refusesOnePortForBoth() {
        Finding finding =
                check("127.0.0.1", 9092, "127.0.0.1", 9092, DirectoryUse.NONE).get(1);

        assertThat(finding.status()).isEqualTo(Status.PROBLEM);
    }
}
