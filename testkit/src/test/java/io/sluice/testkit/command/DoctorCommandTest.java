package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerProcess;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.process.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice doctor} on this machine. */
class DoctorCommandTest {
    @TempDir
    private Path directory;

    private CommandRun doctor(String... options) {
        String[] arguments = new String[options.length + 3];
        arguments[0] = "doctor";
        arguments[1] = "--data";
        arguments[2] = directory.resolve("data").toString();
        System.arraycopy(options, 0, arguments, 3, options.length);
        return CommandRun.of(arguments);
    }

    @Test
    void looksAtEverythingANodeStandsOn() throws Exception {
        CommandRun run = doctor("-o", "json");

        assertThat(run.array().stream().map(finding -> finding.get("check")))
                .contains(
                        "java",
                        "descriptors",
                        "memory",
                        "swap",
                        "huge pages",
                        "data directory",
                        "file system",
                        "room",
                        "flush",
                        "clock",
                        "port",
                        "admin port");
        assertThat(run.array())
                .allSatisfy(finding -> assertThat(finding).containsKeys("check", "status", "found", "advice"));
        assertThat(run.array())
                .filteredOn(finding -> !"ok".equals(finding.get("status")))
                .allSatisfy(
                        finding -> assertThat((String) finding.get("advice")).isNotEmpty());
    }

    @Test
    void measuresTheFlushAndLeavesNothingBehind() throws Exception {
        CommandRun run = doctor();

        assertThat(run.out()).containsPattern("flush: .*4 KiB takes \\d+\\.\\d\\d ms");
        try (var left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void saysWhichPortIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun run = doctor("--port", Integer.toString(taken.getLocalPort()), "-o", "json");

            assertThat(run.array())
                    .filteredOn(finding -> "port".equals(finding.get("check")))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding).containsEntry("status", "problem"));
            assertThat(run.exitCode()).isEqualTo(1);
        }
    }

    @Test
    void failsWhereADirectoryCannotBeWritten() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "no directory");

        CommandRun run = CommandRun.of("doctor", "--data", file.resolve("data").toString(), "-o", "json");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.array())
                .anySatisfy(finding -> assertThat(finding)
                        .containsAllEntriesOf(Map.of("check", "data directory", "status", "problem")));
    }

    @Test
    void refusesAPortThatIsNoNumber() {
        assertThat(doctor("--port", "x").exitCode()).isEqualTo(64);
    }

    @Test
    void seesThatTheNodeHasBeenStoppedByASignal() throws Exception {
        Path data = directory.resolve("data");
        try (BrokerProcess node = SluiceNode.prepare(directory.resolve("node"), data, Map.of(), List.of())) {
            node.start();
            String port = Integer.toString(node.address().getPort());
            String adminPort = Integer.toString(node.adminAddress().getPort());

            CommandRun well = doctor("--port", port, "--admin-port", adminPort, "-o", "json");
            CommandRun elsewhere =
                    doctor("--port", otherThan(port, adminPort), "--admin-port", adminPort, "-o", "json");
            CommandRun stopped = whileStopped(node, "--port", port, "--admin-port", adminPort, "-o", "json");

            assertThat(finding(well, "node")).containsEntry("status", "ok");
            assertThat(finding(well, "port")).containsEntry("status", "ok");
            assertThat(finding(elsewhere, "port")).containsEntry("status", "warning");
            assertThat((String) finding(elsewhere, "port").get("found")).contains("does not listen there");
            assertThat(stopped.exitCode()).isEqualTo(1);
            assertThat(finding(stopped, "node")).containsEntry("status", "problem");
            assertThat((String) finding(stopped, "node").get("advice")).contains("kill -CONT " + node.pid());
        }
    }

    /** Nothing fills the disk: the mark is set above what is free. */
    @Test
    void saysWithProduceAndWithTheNodeThatThereIsTooLittleRoom() throws Exception {
        Path data = directory.resolve("data");
        FileStore store = Files.getFileStore(directory);
        long mark = store.getUsableSpace() + (store.getTotalSpace() - store.getUsableSpace()) / 2;
        Map<String, String> configs = Map.of("sluice.low.space.bytes", Long.toString(mark));
        try (BrokerProcess node = SluiceNode.prepare(directory.resolve("node"), data, configs, List.of())) {
            node.start();
            String[] ports = {
                "--port",
                Integer.toString(node.address().getPort()),
                "--admin-port",
                Integer.toString(node.adminAddress().getPort()),
                "-o",
                "json"
            };
            assertThat(CommandRun.of(Arguments.of(node, List.of("topic", "create", "full")))
                            .exitCode())
                    .isZero();
            long start = SystemClock.INSTANCE.nanoTime();

            CommandRun produced =
                    CommandRun.withInput("a\nb\n", Arguments.of(node, List.of("produce", "full"), "--timeout", "4"));

            Duration took = Duration.ofNanos(SystemClock.INSTANCE.nanoTime() - start);
            assertThat(produced.exitCode()).as(produced.err()).isEqualTo(1);
            assertThat(produced.err())
                    .startsWith("sluice: The record of line 1 was not acknowledged (0 others were): The node answers"
                            + " KAFKA_STORAGE_ERROR (less than sluice.low.space.bytes is free")
                    .contains("free room")
                    .hasLineCount(1);
            assertThat(took).isLessThan(Duration.ofSeconds(10));
            Map<String, Object> room = finding(doctor(ports), "room");
            assertThat(room).containsEntry("status", "problem");
            assertThat((String) room.get("found")).contains("refuses producers");
            assertThat((String) room.get("advice")).contains("sluice.low.space.bytes is " + mark / (1 << 20) + " MiB");
            assertThat(Files.readString(node.outputFile()))
                    .contains("free space below the mark: producers are refused until there is room");
        }
    }

    private CommandRun whileStopped(BrokerProcess node, String... options) throws Exception {
        node.signal("STOP");
        try {
            return doctor(options);
        } finally {
            node.signal("CONT");
        }
    }

    /** A port that is free. */
    private static String otherThan(String... taken) throws IOException {
        return Ports.free(taken.length + 1).stream()
                .map(port -> Integer.toString(port))
                .filter(port -> !List.of(taken).contains(port))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void looksForTheAdminPortWhereItIsListenedFor() throws Exception {
        // TEST-NET-1 of RFC 5737: no machine has it.
        CommandRun run = doctor("--port", "0", "--admin-host", "192.0.2.1", "--admin-port", "19644", "-o", "json");

        assertThat((String) finding(run, "admin port").get("found")).contains("192.0.2.1:19644 cannot be had");
    }

    private static Map<String, Object> finding(CommandRun run, String check) throws Exception {
        return run.array().stream()
                .filter(finding -> check.equals(finding.get("check")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void seesThatOnePortCannotBeBoth() throws Exception {
        CommandRun run = doctor("--port", "19092", "--admin-port", "19092", "-o", "json");

        assertThat(finding(run, "admin port")).containsEntry("status", "problem");
        assertThat(run.exitCode()).isEqualTo(1);
    }
}
