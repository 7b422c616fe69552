package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.command.AdminPage;
import io.sluice.testkit.command.CommandRun;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Requirement;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writes that fail for another reason than want of room: the node appends nothing any more and says so on its admin port,
 * in its metrics and to {@code sluice doctor}, until it is started again. The limit on the size of files stands for the
 * disk's error; a running process can be given one.
 */
@Tag("limits")
class FailedDiskTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    @TempDir
    private Path directory;

    @Test
    void isToldOnTheAdminPortUntilTheNodeIsStartedAgain() throws Exception {
        Requirement.require(
                "failed disk", Commands.exists("prlimit") ? Optional.empty() : Optional.of("prlimit is missing"));
        Path data = directory.resolve("data");
        try (BrokerUnderTest broker = BrokerKind.candidate().startOn(data, Map.of())) {
            TopicSetup.create(broker.bootstrapServers(), "failed", 1);
            moveTheJournalOn(broker);
            List<Long> acknowledged;
            try (Fill fill = new Fill(broker, "failed", 1_000)) {
                fill.send(5);
                assertThat(page(broker, "/health/ready")).isEqualTo(new AdminPage(200, "{\"status\":\"ready\"}\n"));
                limitFiles(broker, MEBIBYTE);
                assertThat(fill.send()).isEqualTo(Errors.KAFKA_STORAGE_ERROR.code());
                requireTold(broker, data);
                assertThat(fill.read()).as("reads go on").isEqualTo(fill.acknowledged());
                acknowledged = fill.acknowledged();
            }
            broker.kill9();
            broker.start();
            assertThat(page(broker, "/health/ready").status()).isEqualTo(200);
            assertThat(page(broker, "/metrics").series("sluice_log_fenced")).isZero();
            try (Fill fill = new Fill(broker, "failed", 1_000)) {
                assertThat(fill.read()).startsWith(acknowledged.toArray(Long[]::new));
                fill.send(1);
            }
        }
    }

    private static void requireTold(BrokerUnderTest broker, Path data) throws Exception {
        AdminPage ready = Await.until(
                "the node not to be ready", TIMEOUT, () -> page(broker, "/health/ready"), page -> page.status() == 503);
        assertThat(ready.body())
                .contains("\"status\":\"failed\"", "nothing is appended until the node is started again");
        assertThat(page(broker, "/health/live").status()).isEqualTo(200);
        assertThat(page(broker, "/metrics").series("sluice_log_fenced")).isEqualTo(1);
        CommandRun doctor = CommandRun.of(
                "doctor",
                "--data",
                data.toString(),
                "--admin-port",
                String.valueOf(broker.adminAddress().getPort()));
        assertThat(doctor.out()).contains("has given up writing");
        limitFiles(broker, 1);
        CommandRun create = CommandRun.of("topic", "create", "later", "--bootstrap-server", broker.bootstrapServers());
        assertThat(create.exitCode()).isNotZero();
        Await.until(
                "the loss of the metadata to be told",
                TIMEOUT,
                () -> page(broker, "/metrics").series("sluice_metadata_lost"),
                value -> value == 1);
        assertThat(page(broker, "/health/ready").body()).contains("A write of the metadata failed");
    }

    private static AdminPage page(BrokerUnderTest broker, String path) throws Exception {
        return AdminPage.get(broker.adminAddress(), path);
    }

    /** The journal is the one file that is beyond the limit then: it fails, and the partition's segment does not. */
    private static void moveTheJournalOn(BrokerUnderTest broker) throws Exception {
        TopicSetup.create(broker.bootstrapServers(), "filler", 1);
        try (Fill filler = new Fill(broker, "filler", MEBIBYTE / 2)) {
            filler.send(6);
        }
    }

    private static void limitFiles(BrokerUnderTest broker, int bytes) throws Exception {
        Commands.run("prlimit", "--pid", String.valueOf(broker.pid()), "--fsize=" + bytes);
    }
}
