package io.sluice.testkit.damage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.command.AdminPage;
import io.sluice.testkit.command.CommandRun;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.wire.RawConnection;
import io.sluice.testkit.wire.SimpleRequests;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Directories and files that somebody removes, renames or replaces under a node that runs. The system lets it write on into
 * what nobody finds again; the node must notice, and acknowledge nothing more.
 */
class LostDirectoryTest {
    private static final String TOPIC = "lost";
    private static final int RECORDS = 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** It looks every second; the rest is for a machine that is busy. */
    private static final Duration NOTICE = Duration.ofSeconds(10);

    @TempDir
    private Path directory;

    private final NumberedPartition partition = new NumberedPartition(TOPIC, 0, 1_000, RECORDS);

    /** What somebody does beside the data directory, and what the node has to say. */
    private enum Mishap {
        DATA_REMOVED("rm -rf data", "data is gone"),
        DATA_RENAMED("mv data away", "data is gone"),
        DATA_REPLACED(
                "mv data away && mkdir -p data/logs data/metadata data/journal",
                "data is not what the node has opened"),
        CONTENTS_REMOVED("rm -rf data/* data/.lock", "data/metadata is gone"),
        LOGS_RENAMED("mv data/logs away", "data/logs is gone"),
        LINK_TO_LOGS_REMOVED("rm data/logs", "data/logs is gone"),
        METADATA_REMOVED("rm -rf data/metadata", "data/metadata is gone"),
        JOURNAL_COPIED(
                "cp -a data/journal away && rm -rf data/journal && mv away data/journal",
                "data/journal is not what the node has opened"),
        JOURNAL_FILES_REMOVED("rm data/journal/*", ".journal is gone");

        private final String command;
        private final String told;

        Mishap(String command, String told) {
            this.command = command;
            this.told = told;
        }
    }

    @ParameterizedTest
    @EnumSource
    void isNoticedAndNothingMoreIsAcknowledged(Mishap mishap) throws Exception {
        Path data = directory.resolve("data");
        if (mishap == Mishap.LINK_TO_LOGS_REMOVED) {
            Files.createDirectories(data);
            Files.createSymbolicLink(data.resolve("logs"), Files.createDirectory(directory.resolve("volume")));
        }
        try (BrokerUnderTest broker = SluiceNode.start(directory.resolve("node"), data, Map.of())) {
            TopicSetup.create(broker.bootstrapServers(), TOPIC, 1);
            List<String> after;
            try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
                partition.write(connection);
                assertThat(page(broker, "/health/ready").status()).isEqualTo(200);

                Commands.run("sh", "-c", "cd '" + directory + "' && " + mishap.command);
                after = tree(data);

                requireTold(broker, mishap);
                assertThat(errorOfAnAppend(connection)).isEqualTo(Errors.KAFKA_STORAGE_ERROR.code());
            }
            CommandRun create =
                    CommandRun.of("topic", "create", "later", "--bootstrap-server", broker.bootstrapServers());
            assertThat(create.exitCode()).as(create.out() + create.err()).isNotZero();
            assertThat(page(broker, "/metrics").series("sluice_log_fenced")).isEqualTo(1);
            assertThat(page(broker, "/metrics").series("sluice_metadata_lost")).isEqualTo(1);
            requireOneLine(broker, mishap);
            broker.stop();
            assertThat(tree(data)).as("nothing is made where it was").isEqualTo(after);
        }
    }

    private static void requireTold(BrokerUnderTest broker, Mishap mishap) throws Exception {
        AdminPage ready = Await.until(
                "the node not to be ready", NOTICE, () -> page(broker, "/health/ready"), page -> page.status() == 503);
        assertThat(ready.body())
                .contains("\"status\":\"failed\"", mishap.told, "nothing is appended until the node is started again");
        assertThat(page(broker, "/health/live").status()).isEqualTo(200);
    }

    /** One line says it, at level ERROR; nothing of it comes as a stack trace. */
    private static void requireOneLine(BrokerUnderTest broker, Mishap mishap) throws IOException {
        List<String> lines = Files.readAllLines(broker.outputFile());
        assertThat(lines.stream().filter(line -> line.contains(" ERROR ")))
                .as(String.join("\n", lines))
                .singleElement()
                .asString()
                .contains("nothing is appended until the node is restarted", mishap.told);
        assertThat(lines).as("stack traces").noneMatch(line -> line.startsWith("\tat "));
    }

    private static short errorOfAnAppend(RawConnection connection) throws IOException {
        return SimpleRequests.errorOf(connection.call(
                ProduceResponseData.class,
                SimpleRequests.PRODUCE_BY_NAME,
                SimpleRequests.produce(TOPIC, 0, (short) -1, "later".getBytes(StandardCharsets.UTF_8))));
    }

    /** Every path that is there. */
    private static List<String> tree(Path root) throws IOException {
        if (!Files.exists(root)) {
            return List.of();
        }
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.map(Path::toString).sorted().toList();
        }
    }

    private static AdminPage page(BrokerUnderTest broker, String path) throws IOException {
        return AdminPage.get(broker.adminAddress(), path);
    }

    @Test
    void keepsWhatWasAcknowledgedInADirectoryThatWasRenamed() throws Exception {
        Path data = directory.resolve("data");
        Path away = directory.resolve("away");
        try (BrokerUnderTest broker = SluiceNode.start(directory.resolve("node"), data, Map.of())) {
            TopicSetup.create(broker.bootstrapServers(), TOPIC, 1);
            try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
                partition.write(connection);
                Files.move(data, away);
                requireTold(broker, Mishap.DATA_RENAMED);
                NumberedPartition.Outcome read = partition.read(connection, 0, 1 << 20);
                assertThat(read).as("reads go on").isEqualTo(new NumberedPartition.Outcome((short) 0, RECORDS));
            }
            broker.stop();
        }
        try (BrokerUnderTest broker = SluiceNode.start(directory.resolve("again"), away, Map.of());
                RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
            assertThat(partition.read(connection, 0, 1 << 20).records()).isEqualTo(RECORDS);
            assertThat(page(broker, "/health/ready").status()).isEqualTo(200);
            partition.append(connection, RECORDS);
        }
    }
}
