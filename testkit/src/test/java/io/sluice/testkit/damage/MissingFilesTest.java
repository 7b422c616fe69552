package io.sluice.testkit.damage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.command.AdminPage;
import io.sluice.testkit.command.CommandRun;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that somebody removed while the node was stopped: the start says so, and no reader passes over what is missing. */
class MissingFilesTest {
    private static final String TOPIC = "lost";
    private static final int RECORDS = 30;
    private static final int VALUE_BYTES = 100_000;
    private static final int LARGE_READ = 1 << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** Segments come to the disk early, so that the journal of a stopped node does not put back what was removed. */
    private static final Map<String, String> CONFIGS =
            Map.of("sluice.journal.checkpoint.bytes", Integer.toString(1 << 20));

    @TempDir
    private Path directory;

    private final NumberedPartition partition = new NumberedPartition(TOPIC, 0, VALUE_BYTES, RECORDS);

    @Test
    void areNamedByTheStartAndByConsumersAndKeepNobodyFromTheRest() throws Exception {
        Path data = directory.resolve("data");
        try (BrokerUnderTest broker = SluiceNode.start(directory.resolve("node"), data, CONFIGS)) {
            TopicSetup.create(broker.bootstrapServers(), TOPIC, 1, Map.of("segment.bytes", Integer.toString(1 << 20)));
            TopicSetup.create(broker.bootstrapServers(), "filler", 1);
            try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
                partition.write(connection);
                new NumberedPartition("filler", 0, 1_000_000, 8).write(connection);
            }
            broker.stop();
            List<Path> segments = segments(data);
            Path missing = segments.get(1);
            int first = offset(missing);
            int next = offset(segments.get(2));
            Path kept = directory.resolve("kept");
            requireDumped(data, 0, "segment file=" + missing);
            Files.move(missing, kept);
            requireDumped(
                    data,
                    65,
                    "missing path=" + missing + " topic=" + TOPIC + " partition=0 firstOffset=" + first + " lastOffset="
                            + (next - 1));
            requireToldByDoctor(data, missing, first, next - 1);
            broker.start();

            String output = Files.readString(broker.outputFile());
            assertThat(output)
                    .contains("records are missing", "partition=" + TOPIC + "-0", missing.toString())
                    .contains("lacks offsets " + first + " to " + (next - 1), "up to offset " + next);
            requireServedBut(broker, first, next);
            requireToldByConsume(broker, first);
            requireToldByTheNode(broker, data);
            broker.stop();
            Files.move(kept, missing);
            broker.start();
            requireServedBut(broker, RECORDS, RECORDS);
            assertThat(AdminPage.get(broker.adminAddress(), "/health/ready").body())
                    .isEqualTo("{\"status\":\"ready\"}\n");
            broker.stop();
            Path whole = missing.getParent();
            Path away = directory.resolve("away");
            Files.move(whole, away);
            requireDumped(data, 65, "missing path=" + missing + " topic=" + TOPIC, "--topic", TOPIC);
            Files.move(away, whole);
            requireRefusedWithoutLogs(data);
        }
    }

    private static void requireDumped(Path data, int exitStatus, String line, String... options) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(SluiceNode.launcher().toString(), "log", "dump", data.toString(), "--summary"));
        command.addAll(List.of(options));
        Commands.Outcome dump = Commands.attempt(command, TIMEOUT);
        assertThat(dump.exitStatus()).as(dump.output()).isEqualTo(exitStatus);
        assertThat(dump.output()).contains(line);
    }

    private static void requireToldByDoctor(Path data, Path missing, int first, int last) throws Exception {
        Commands.Outcome doctor = Commands.attempt(
                List.of(SluiceNode.launcher().toString(), "doctor", "--data", data.toString()), TIMEOUT);
        assertThat(doctor.exitStatus()).as(doctor.output()).isEqualTo(1);
        assertThat(doctor.output())
                .contains("problem  records: records of 1 segment are missing: " + TOPIC + "-0 lacks " + first + " to "
                        + last + " (" + missing + " is gone)");
    }

    /** The rest is served, so it is ready; whoever looks finds out all the same. */
    private static void requireToldByTheNode(BrokerUnderTest broker, Path data) throws Exception {
        AdminPage ready = AdminPage.get(broker.adminAddress(), "/health/ready");
        assertThat(ready.status()).isEqualTo(200);
        assertThat(ready.body())
                .contains("\"status\":\"ready\"", "\"problems\":[")
                .contains("records are missing or damaged in 1 place of " + TOPIC + "-0", "DeleteRecords");
        CommandRun doctor = CommandRun.of(
                "doctor",
                "--data",
                data.toString(),
                "--port",
                String.valueOf(broker.address().getPort()),
                "--admin-port",
                String.valueOf(broker.adminAddress().getPort()));
        assertThat(doctor.exitCode()).as(doctor.out()).isEqualTo(1);
        assertThat(doctor.out())
                .contains("serves, but records are missing or damaged in 1 place of " + TOPIC + "-0")
                .doesNotContain("is ready");
    }

    private static List<Path> segments(Path data) throws IOException {
        try (Stream<Path> files = Files.walk(data.resolve("logs"))) {
            return files.filter(file -> file.toString().contains("-" + TOPIC + "-0/")
                            && file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
    }

    private static int offset(Path segment) {
        return Integer.parseInt(segment.getFileName().toString().replace(".log", ""));
    }

    private void requireServedBut(BrokerUnderTest broker, int from, int to) throws IOException {
        try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
            for (int offset = 0; offset < RECORDS; offset++) {
                NumberedPartition.Outcome outcome = partition.read(connection, offset, LARGE_READ);
                if (from <= offset && offset < to) {
                    assertThat(outcome)
                            .as("offset %s", offset)
                            .isEqualTo(new NumberedPartition.Outcome(Errors.KAFKA_STORAGE_ERROR.code(), 0));
                } else {
                    assertThat(outcome.error()).as("offset %s", offset).isZero();
                    assertThat(outcome.records()).as("offset %s", offset).isPositive();
                }
            }
        }
    }

    private static void requireToldByConsume(BrokerUnderTest broker, int first) throws Exception {
        Commands.Outcome consumed = Commands.attempt(
                List.of(
                        SluiceNode.launcher().toString(),
                        "consume",
                        TOPIC,
                        "--timeout",
                        "3",
                        "--bootstrap-server",
                        broker.bootstrapServers()),
                TIMEOUT);

        assertThat(consumed.exitStatus()).isEqualTo(1);
        assertThat(consumed.output().lines().filter(line -> line.startsWith(TOPIC + "-0 ")))
                .hasSize(first);
        assertThat(consumed.output())
                .contains("Partition lost-0 cannot be read from offset " + first, "KAFKA_STORAGE_ERROR")
                .doesNotContain("No answer in time");
    }

    private void requireRefusedWithoutLogs(Path data) throws Exception {
        Files.move(data.resolve("logs"), directory.resolve("logs"));
        for (int i = 0; i < 2; i++) { // the first attempt must not have made the second look right
            Commands.Outcome refused = Commands.attempt(
                    List.of(
                            SluiceNode.launcher().toString(),
                            "start",
                            "--data",
                            data.toString(),
                            "--port",
                            "0",
                            "--admin-port",
                            "0"),
                    TIMEOUT);

            assertThat(refused.exitStatus()).as(refused.output()).isEqualTo(65);
            assertThat(refused.output().lines().filter(line -> line.startsWith("sluice: ")))
                    .singleElement()
                    .asString()
                    .contains(data.resolve("logs") + " is missing although the catalogue lists");
        }
    }
}
