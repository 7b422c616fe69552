package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Commands;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node in a process that may have few descriptors open. */
class DescriptorLimitTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int PARTITIONS = 150;
    private static final int LINES = 2_000;
    /** What is left of 300 beside segments and others. */
    private static final int CONNECTIONS = 44;

    private static final int BEYOND = 20;

    @TempDir
    private Path directory;

    private static List<String> under(int limit) {
        return List.of("bash", "-c", "ulimit -n " + limit + " && exec \"$0\" \"$@\"");
    }

    @Test
    void refusesFewerThanItNeedsAndMakesNothing() throws Exception {
        Path data = directory.resolve("data");
        List<String> command = new ArrayList<>(under(280));
        command.addAll(List.of(
                SluiceNode.launcher().toString(),
                "start",
                "--port",
                "0",
                "--admin-port",
                "0",
                "--data",
                data.toString()));

        Commands.Outcome refused = Commands.attempt(command, TIMEOUT);

        assertThat(refused.exitStatus()).as(refused.output()).isEqualTo(73);
        assertThat(refused.output())
                .startsWith("sluice: This process may have only 280 files and connections open; a node needs 288")
                .contains("LimitNOFILE")
                .hasLineCount(1);
        assertThat(data).doesNotExist();
    }

    /** With more segments than may be open, and more clients than can be let in. */
    @Test
    void servesWhomItCanAndTurnsTheOthersAway() throws Exception {
        try (BrokerUnderTest node = SluiceNode.startUnder(under(300), Map.of())) {
            CommandRun created = CommandRun.of(
                    Arguments.of(node, List.of("topic", "create", "wide"), "--partitions", "" + PARTITIONS));
            assertThat(created.exitCode()).as(created.err()).isZero();
            requireServed(node);

            List<SocketChannel> clients = new ArrayList<>();
            try {
                for (int i = 0; i < CONNECTIONS + BEYOND; i++) {
                    SocketChannel client = SocketChannel.open(node.address());
                    clients.add(client);
                    client.configureBlocking(false);
                }
                // Which of them is up to the node's threads, and to when it has forgotten those of before.
                Await.until(
                        "as many turned away as cannot be served",
                        TIMEOUT,
                        () -> turnedAway(clients),
                        count -> count >= BEYOND);
            } finally {
                for (SocketChannel client : clients) {
                    client.close();
                }
            }

            requireServed(node);
            assertThat(Files.readString(node.outputFile()))
                    .contains("few descriptors may be open", "too many are open", "at most " + CONNECTIONS)
                    .doesNotContainIgnoringCase("too many open files");
        }
    }

    private static int turnedAway(List<SocketChannel> clients) throws IOException {
        int count = 0;
        for (SocketChannel client : clients) {
            count += client.read(ByteBuffer.allocate(1)) < 0 ? 1 : 0;
        }
        return count;
    }

    private static void requireServed(BrokerUnderTest node) throws Exception {
        String lines = IntStream.range(0, LINES).mapToObj(i -> i + "=x\n").collect(Collectors.joining());
        CommandRun sent =
                CommandRun.withInput(lines, Arguments.of(node, List.of("produce", "wide"), "--key-separator", "="));
        assertThat(sent.exitCode()).as(sent.err()).isZero();
        CommandRun read = CommandRun.of(Arguments.of(node, List.of("consume", "wide", "--from-beginning")));
        assertThat(read.exitCode()).as(read.err()).isZero();
        assertThat(read.lines().size()).isGreaterThanOrEqualTo(LINES);
    }
}
