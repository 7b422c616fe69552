package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice produce} where Kafka's producer waits for what does not come, and says at most that it has waited. */
class ProduceRefusalTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private static void topic(BrokerUnderTest node, String... words) {
        CommandRun done = CommandRun.of(Arguments.of(node, List.of("topic"), words));
        assertThat(done.exitCode()).as(done.err()).isZero();
    }

    /** Sends a line, and another one once the file is there. */
    private ChildProcess producer(BrokerUnderTest node, Path go, String options) throws Exception {
        String script = "(echo a; until [ -e " + go + " ]; do sleep 0.1; done; echo b) | " + SluiceNode.launcher()
                + " produce t --timeout 3 --bootstrap-server " + node.bootstrapServers() + options;
        return ChildProcess.start(
                "producer",
                List.of("bash", "-c", script),
                Map.of(),
                Pattern.compile("^never$"),
                directory.resolve("out"));
    }

    private static void awaitFirstLine(BrokerUnderTest node) throws Exception {
        Await.until(
                "the first record",
                TIMEOUT,
                () -> CommandRun.of(Arguments.of(node, List.of("consume", "t", "--from-beginning")))
                        .lines(),
                lines -> lines.contains("a"));
    }

    @Test
    void saysThatTheTopicWasDeleted() throws Exception {
        Map<String, String> configs = Map.of("auto.create.topics.enable", "false");
        try (BrokerUnderTest node = SluiceNode.start(directory, directory.resolve("data"), configs)) {
            topic(node, "create", "t");
            Path go = directory.resolve("go");
            try (ChildProcess producer = producer(node, go, "")) {
                awaitFirstLine(node);
                topic(node, "delete", "t");
                Files.createFile(go);

                assertThat(producer.awaitExit(TIMEOUT))
                        .as(producer.lastOutput())
                        .isEqualTo(1);
                assertThat(producer.lastOutput())
                        .contains("Topic 't' does not exist any more: it was deleted while records were sent.");
            }
        }
    }

    @Test
    void saysThatThePartitionIsNotThereAnyMore() throws Exception {
        try (BrokerUnderTest node = SluiceNode.start(directory, directory.resolve("data"), Map.of())) {
            topic(node, "create", "t", "--partitions", "3");
            Path go = directory.resolve("go");
            try (ChildProcess producer = producer(node, go, " --partition 2")) {
                awaitFirstLine(node);
                topic(node, "delete", "t");
                topic(node, "create", "t", "--partitions", "2");
                Files.createFile(go);

                assertThat(producer.awaitExit(TIMEOUT))
                        .as(producer.lastOutput())
                        .isEqualTo(1);
                assertThat(producer.lastOutput())
                        .contains(
                                "Topic 't' has no partition 2 any more: it was deleted while records were sent, and made"
                                        + " again with 2 partitions.");
            }
        }
    }

    @Test
    void saysThatTheNodeGivesOutNoProducerIds() throws Exception {
        Path data = directory.resolve("data");
        try (BrokerUnderTest node = SluiceNode.start(directory, data, Map.of())) {
            topic(node, "create", "t");
            Files.move(data, directory.resolve("away"));
            Await.until(
                    "the node to notice",
                    TIMEOUT,
                    () -> AdminPage.get(node.adminAddress(), "/health/ready").body(),
                    body -> body.contains("is gone"));

            CommandRun refused =
                    CommandRun.withInput("a\n", Arguments.of(node, List.of("produce", "t", "--timeout", "3")));

            assertThat(refused.exitCode()).as(refused.err()).isEqualTo(1);
            assertThat(refused.err())
                    .contains("gives out no producer ids", "COORDINATOR_LOAD_IN_PROGRESS", "sluice doctor")
                    .hasLineCount(1);
        }
    }
}
