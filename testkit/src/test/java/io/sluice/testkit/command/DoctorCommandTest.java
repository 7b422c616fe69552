package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
