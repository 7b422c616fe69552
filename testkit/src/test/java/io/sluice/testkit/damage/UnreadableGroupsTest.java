package io.sluice.testkit.damage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.command.CommandRun;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A partition of {@code __consumer_offsets} that cannot be read: its groups are told why, and no others notice. */
class UnreadableGroupsTest {
    private static final String TOPIC = "seg";
    private static final String LOST = "lost";
    private static final int PARTITIONS = 8;
    private static final int RECORDS = 5;
    private static final int COMMITS = 60;
    private static final int METADATA_BYTES = 4_000;
    private static final Duration CONNECT = Duration.ofSeconds(30);
    private static final int TIMEOUT_SECONDS = 3;
    /** Of an idle machine; beside much else it may take a little longer. */
    private static final Duration ANSWER = Duration.ofSeconds(3 * TIMEOUT_SECONDS);

    /** Segments come to the disk early, so that the journal of a stopped node does not put back what was removed. */
    private static final Map<String, String> CONFIGS = Map.of(
            "sluice.journal.checkpoint.bytes", Integer.toString(1 << 20), "group.initial.rebalance.delay.ms", "0");

    @TempDir
    private Path directory;

    private static int partitionOf(String group) {
        return Utils.abs(group.hashCode()) % PARTITIONS;
    }

    private static String otherGroup() {
        String other = "whole";
        while (partitionOf(other) == partitionOf(LOST)) {
            other += "x";
        }
        return other;
    }

    @ParameterizedTest
    @ValueSource(strings = {"missing", "damaged"})
    void areNamedAndNoOthersNoticeAndThereIsAWayOut(String how) throws Exception {
        Path data = directory.resolve("data");
        String whole = otherGroup();
        try (BrokerUnderTest broker = SluiceNode.start(directory.resolve("node"), data, CONFIGS)) {
            TopicSetup.create(broker.bootstrapServers(), TOPIC, 1);
            TopicSetup.create(broker.bootstrapServers(), "filler", 1);
            try (RawConnection connection = RawConnection.open(broker.address(), CONNECT)) {
                new NumberedPartition(TOPIC, 0, 10, RECORDS).write(connection);
                for (String group : List.of(LOST, whole)) {
                    requireConsumed(broker, group);
                }
                commitMuch(broker);
                new NumberedPartition("filler", 0, 1_000_000, 8).write(connection);
            }
            broker.stop();
            spoil(data, how);
            broker.start();

            requireToldOfAllBut(broker, whole);
            for (List<String> command : List.of(
                    List.of("group", "describe", LOST),
                    List.of("group", "reset-offsets", LOST, "--topic", TOPIC, "--to-earliest"),
                    List.of("group", "delete", LOST),
                    List.of("consume", TOPIC, "--group", LOST))) {
                requireRefused(broker, command);
            }
            assertThat(run(broker, List.of("group", "describe", whole)).out()).contains("lag 0");
            assertThat(Files.readString(broker.outputFile()))
                    .contains("what __consumer_offsets-" + partitionOf(LOST) + " holds cannot be loaded")
                    .contains("docs/operations.md");

            assertThat(run(broker, List.of("topic", "delete", "__consumer_offsets", "--force"))
                            .exitCode())
                    .isZero();
            requireOnlyListed(broker, List.of());
            requireConsumed(broker, LOST);
            requireOnlyListed(broker, List.of(LOST));
        }
    }

    /** Beyond the 64 KiB up to which the end of a log is kept in the journal, which would put it back. */
    private static void commitMuch(BrokerUnderTest broker) throws Exception {
        TopicPartition read = new TopicPartition(TOPIC, 0);
        OffsetAndMetadata offset = new OffsetAndMetadata(RECORDS, "x".repeat(METADATA_BYTES));
        try (Admin admin =
                Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, (Object) broker.bootstrapServers()))) {
            for (int i = 0; i < COMMITS; i++) {
                admin.alterConsumerGroupOffsets(LOST, Map.of(read, offset))
                        .all()
                        .get(CONNECT.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    private static void requireOnlyListed(BrokerUnderTest broker, List<String> groups) {
        CommandRun listed = run(broker, List.of("group", "list"));

        assertThat(listed.exitCode()).as(listed.err()).isZero();
        assertThat(listed.lines().stream().map(line -> line.split("\t", -1)[0])).containsExactlyElementsOf(groups);
    }

    private static void requireConsumed(BrokerUnderTest broker, String group) {
        CommandRun run = CommandRun.of(
                "consume", TOPIC, "--group", group, "--timeout", "30", "--bootstrap-server", broker.bootstrapServers());
        assertThat(run.lines()).as(run.err()).hasSize(RECORDS);
    }

    private static void spoil(Path data, String how) throws IOException {
        Path logs = data.resolve("logs");
        try (Stream<Path> all = Files.list(logs)) {
            Path log = all.filter(path -> path.toString().endsWith("-__consumer_offsets-" + partitionOf(LOST)))
                    .findFirst()
                    .orElseThrow();
            if (how.equals("missing")) {
                Files.move(log, data.resolveSibling("moved"));
            } else {
                flip(log);
            }
        }
    }

    /** A byte of the first batch's records. */
    private static void flip(Path log) throws IOException {
        try (Stream<Path> files = Files.list(log)) {
            Path segment = files.filter(path -> path.toString().endsWith(".log"))
                    .min(Path::compareTo)
                    .orElseThrow();
            try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                ByteBuffer one = ByteBuffer.allocate(1);
                channel.read(one, 70);
                one.put(0, (byte) ~one.get(0)).rewind();
                channel.write(one, 70);
            }
        }
    }

    private static void requireToldOfAllBut(BrokerUnderTest broker, String whole) {
        CommandRun listed = run(broker, List.of("group", "list"));

        assertThat(listed.exitCode()).as(listed.err()).isEqualTo(1);
        assertThat(listed.lines()).singleElement().asString().startsWith(whole + "\t");
        assertThat(listed.err())
                .startsWith("sluice: Not all groups are listed: those kept in __consumer_offsets-" + partitionOf(LOST)
                        + " are missing.")
                .hasLineCount(1);
    }

    private static void requireRefused(BrokerUnderTest broker, List<String> command) {
        long start = SystemClock.INSTANCE.nanoTime();
        CommandRun run = run(broker, command);
        Duration took = Duration.ofNanos(SystemClock.INSTANCE.nanoTime() - start);

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("sluice: The state of group '" + LOST + "' cannot be read (the node answers NOT_COORDINATOR"
                        + " for __consumer_offsets-" + partitionOf(LOST) + ")")
                .contains("The node's log")
                .hasLineCount(1);
        assertThat(took).as(String.join(" ", command)).isLessThan(ANSWER);
    }

    private static CommandRun run(BrokerUnderTest broker, List<String> command) {
        List<String> arguments = new ArrayList<>(command);
        arguments.addAll(List.of(
                "--timeout", Integer.toString(TIMEOUT_SECONDS), "--bootstrap-server", broker.bootstrapServers()));
        return CommandRun.of(arguments.toArray(String[]::new));
    }
}
