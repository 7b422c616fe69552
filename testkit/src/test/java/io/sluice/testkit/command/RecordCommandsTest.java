package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.process.ChildProcess;
import io.sluice.testkit.process.Commands;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sluice produce} and {@code sluice consume} against a node. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecordCommandsTest {
    @TempDir
    private Path directory;

    private BrokerUnderTest broker;

    @BeforeAll
    void startBroker() throws Exception {
        broker = BrokerKind.candidate().start(Map.of("group.initial.rebalance.delay.ms", "0"));
    }

    @AfterAll
    void stopBroker() throws Exception {
        broker.close();
    }

    private void create(String topic, int partitions) {
        CommandRun created = CommandRun.of(
                Arguments.of(broker, List.of("topic", "create", topic), "--partitions", Integer.toString(partitions)));
        assertThat(created.err()).isEmpty();
    }

    private CommandRun produce(String input, String topic, String... options) {
        return CommandRun.withInput(input, Arguments.of(broker, List.of("produce", topic), options));
    }

    private CommandRun consume(String topic, String... options) {
        return CommandRun.of(Arguments.of(broker, List.of("consume", topic), options));
    }

    @Test
    void sendsLinesAndPrintsThemInOrder() {
        create("lines", 1);

        CommandRun produced = produce("one\ntwo\r\nthree", "lines");

        assertThat(produced.exitCode()).isZero();
        assertThat(produced.out()).matches("Sent 3 records, 12 bytes, to lines in \\d+\\.\\d{3} s\\.\n");
        CommandRun consumed = consume("lines");
        assertThat(consumed.exitCode()).isZero();
        assertThat(consumed.out()).isEqualTo("one\ntwo\r\nthree\n");
        assertThat(consumed.err()).isEmpty();
    }

    @Test
    void tellsAProgramWhatWasSent() throws Exception {
        create("counted", 1);

        assertThat(produce("a\nb\n", "counted", "-o", "json").object())
                .containsEntry("topic", "counted")
                .containsEntry("records", 2)
                .containsEntry("bytes", 2)
                .containsKey("seconds");
    }

    @Test
    void printsNothingOfAnEmptyTopic() {
        create("empty", 2);

        CommandRun consumed = consume("empty");

        assertThat(consumed.exitCode()).isZero();
        assertThat(consumed.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void sendsAFileInEveryCompression(String compression) throws Exception {
        String topic = "file-" + compression;
        create(topic, 4);
        Path file = directory.resolve(topic);
        String lines = IntStream.range(0, 2_000)
                .mapToObj(i -> "key-" + i % 50 + ":value " + i)
                .collect(Collectors.joining("\n", "", "\n"));
        Files.writeString(file, lines);

        CommandRun produced = produce(
                "",
                topic,
                "--file",
                file.toString(),
                "--key-separator",
                ":",
                "--compression",
                compression,
                "--header",
                "source=file");

        assertThat(produced.err()).isEmpty();
        assertThat(produced.out()).startsWith("Sent 2000 records");
        CommandRun consumed = consume(topic, "--key-separator", ":");
        assertThat(consumed.lines())
                .containsExactlyInAnyOrderElementsOf(lines.lines().toList());
        assertThat(consumed.lines().stream()
                        .filter(line -> line.startsWith("key-7:"))
                        .toList())
                .isEqualTo(
                        lines.lines().filter(line -> line.startsWith("key-7:")).toList());
    }

    @Test
    @SuppressWarnings("unchecked") // parsed JSON is maps and lists
    void printsEverythingOfARecordAsJson() throws Exception {
        create("json", 3);
        produce("k=v\n", "json", "--key-separator", "=", "--partition", "2", "--header", "trace=abc");

        CommandRun consumed = consume("json", "-o", "json");

        assertThat(consumed.lines()).hasSize(1);
        Map<String, Object> read = consumed.object();
        assertThat(read)
                .containsEntry("topic", "json")
                .containsEntry("partition", 2)
                .containsEntry("offset", 0)
                .containsEntry("key", "k")
                .containsEntry("value", "v")
                .containsEntry("timestampType", "CreateTime")
                .containsEntry("headers", List.of(Map.of("name", "trace", "value", "abc")));
        assertThat(java.time.OffsetDateTime.parse((String) read.get("timestamp"))
                        .toInstant())
                .isBetween(Instant.parse("2025-01-01T00:00:00Z"), Instant.parse("2100-01-01T00:00:00Z"));
    }

    @Test
    void printsHexadecimal() {
        create("hex", 1);
        produce("k=vä\n", "hex", "--key-separator", "=");

        assertThat(consume("hex", "--format", "hex", "--key-separator", " ").out())
                .isEqualTo("6b 76c3a4\n");
    }

    @Test
    void startsAtAnOffsetAndStopsAtACount() {
        create("slice", 1);
        produce("0\n1\n2\n3\n4\n", "slice");

        assertThat(consume("slice", "--offset", "2", "--count", "2").out()).isEqualTo("2\n3\n");
    }

    @Test
    void startsAtATime() throws Exception {
        create("timed", 1);
        produce("early\n", "timed");
        String first = (String) consume("timed", "-o", "json").object().get("timestamp");
        String after =
                java.time.OffsetDateTime.parse(first).plusNanos(1_000_000).toString();
        // The next record must not carry the same millisecond.
        io.sluice.testkit.process.Await.pause(5);
        produce("late\n", "timed");

        assertThat(consume("timed", "--time", after).out()).isEqualTo("late\n");
        assertThat(consume("timed", "--time", "2099-01-01T00:00:00Z").out()).isEmpty();
    }

    @Test
    void goesOnWhereTheGroupHasGotTo() {
        create("grouped", 1);
        produce("0\n1\n2\n", "grouped");

        CommandRun first = consume("grouped", "--group", "readers", "--count", "2");
        CommandRun second = consume("grouped", "--group", "readers");

        assertThat(first.err()).isEmpty();
        assertThat(first.out()).isEqualTo("0\n1\n");
        assertThat(second.out()).isEqualTo("2\n");
        assertThat(consume("grouped", "--group", "readers").out()).isEmpty();
    }

    @Test
    void followsUntilTheCountIsReached() {
        create("followed", 1);
        produce("0\n1\n", "followed");

        assertThat(consume("followed", "--follow", "--from-beginning", "--count", "2")
                        .out())
                .isEqualTo("0\n1\n");
    }

    @Test
    void followsUntilToldToStopAndLeavesItsGroup() throws Exception {
        create("watched", 1);
        try (ChildProcess follower = ChildProcess.start(
                "follower",
                List.of(
                        SluiceNode.launcher().toString(),
                        "consume",
                        "watched",
                        "--follow",
                        "--from-beginning",
                        "--group",
                        "watchers",
                        "--bootstrap-server",
                        broker.bootstrapServers()),
                Map.of(),
                Pattern.compile("^first$"),
                directory.resolve("follower"))) {
            produce("first\n", "watched");
            follower.awaitReady(Duration.ofSeconds(60));

            // Not INT, which a shell may have told the whole build to ignore; both end the command in the same way.
            follower.signal("TERM");

            assertThat(follower.awaitExit(Duration.ofSeconds(30))).isEqualTo(143);
        }
        CommandRun described =
                CommandRun.of(Arguments.of(broker, List.of("group", "describe", "watchers"), "-o", "json"));
        assertThat(described.object()).containsEntry("members", List.of()).containsEntry("lag", 0);
    }

    @Test
    void sendsWithoutWaitingAndWithOneAcknowledgement() {
        create("acks", 1);

        assertThat(produce("a\n", "acks", "--acks", "0").exitCode()).isZero();
        assertThat(produce("b\n", "acks", "--acks", "1").exitCode()).isZero();
        assertThat(consume("acks", "--follow", "--from-beginning", "--count", "2")
                        .lines())
                .containsExactly("a", "b");
    }

    @Test
    void stopsAtALineWithoutItsSeparator() {
        create("separated", 1);

        CommandRun produced = produce("a:1\nb\nc:3\n", "separated", "--key-separator", ":");

        assertThat(produced.exitCode()).isEqualTo(65);
        assertThat(produced.err()).contains("Line 2").hasLineCount(1);
    }

    @Test
    void namesTheLineThatWasRefused() {
        create("small", 1);
        CommandRun.of(Arguments.of(broker, List.of("topic", "alter", "small"), "--config", "max.message.bytes=200"));

        CommandRun produced = produce("x".repeat(1000) + "\n", "small");

        assertThat(produced.exitCode()).isEqualTo(1);
        assertThat(produced.err()).contains("line 1", "was not acknowledged").hasLineCount(1);
    }

    @Test
    void refusesWhatCannotBe() {
        create("strict", 1);

        assertThat(produce("", "strict", "--acks", "2").exitCode()).isEqualTo(64);
        assertThat(produce("", "strict", "--compression", "brotli").exitCode()).isEqualTo(64);
        assertThat(produce("", "strict", "--file", directory.resolve("none").toString())
                        .exitCode())
                .isEqualTo(74);
        assertThat(consume("strict", "--partition", "7").exitCode()).isEqualTo(64);
        assertThat(consume("strict", "--offset", "-1").exitCode()).isEqualTo(64);
        assertThat(consume("strict", "--time", "yesterday").exitCode()).isEqualTo(64);
        assertThat(consume("strict", "--from-beginning", "--offset", "1").exitCode())
                .isEqualTo(64);
        assertThat(consume("strict", "--group", "g", "--offset", "1").exitCode())
                .isEqualTo(64);
    }

    @Test
    void saysThatThereIsNoSuchTopic() {
        CommandRun consumed = consume("nowhere");

        assertThat(consumed.exitCode()).isEqualTo(1);
        assertThat(consumed.err()).contains("nowhere", "sluice topic list").hasLineCount(1);
    }

    @Test
    void printsBytesThatAreNoTextAsBase64() throws Exception {
        create("binary", 1);
        Path file = directory.resolve("binary");
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, '\n'});
        produce("", "binary", "--file", file.toString());

        assertThat(consume("binary", "-o", "json").object())
                .containsEntry("valueBase64", "//4=")
                .doesNotContainKey("value");
    }

    private Commands.Outcome launched(String redirection, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "bash",
                "-c",
                "exec \"$0\" \"$@\" " + redirection,
                SluiceNode.launcher().toString()));
        command.addAll(List.of(Arguments.of(broker, List.of(words))));
        return Commands.attempt(command, Duration.ofSeconds(60));
    }

    /** The number of a closed stream would be that of the next file that the JVM opens. */
    @Test
    void failsWithWordsWhereAStreamIsClosed() throws Exception {
        create("closed", 1);

        Commands.Outcome input = launched("<&-", "produce", "closed");
        Commands.Outcome output = launched(">&-", "topic", "list");
        Commands.Outcome all = launched("<&- >&- 2>&-", "produce", "closed");

        assertThat(input.exitStatus()).as(input.output()).isEqualTo(74);
        assertThat(input.output()).startsWith("sluice: Cannot read the lines to send: it is closed.");
        assertThat(output.exitStatus()).as(output.output()).isEqualTo(74);
        assertThat(output.output()).isEqualTo("sluice: Cannot write the results to standard output: it is closed.\n");
        assertThat(all.exitStatus()).as(all.output()).isEqualTo(74);
        assertThat(consume("closed").out()).isEmpty();
        assertThat(launched("<&-", "topic", "list").exitStatus()).isZero();
    }

    @Test
    void tellsAProgramHowFarItGot() throws Exception {
        create("partial", 1);

        CommandRun produced = produce("a:1\nb:2\nc\n", "partial", "--key-separator", ":", "-o", "json");

        assertThat(produced.exitCode()).isEqualTo(65);
        assertThat(produced.object())
                .containsEntry("topic", "partial")
                .containsEntry("records", 2)
                .containsEntry("bytes", 4);
        assertThat((String) produced.object().get("error")).contains("Line 3 has no key separator");
        assertThat(produced.err()).contains("Line 3").hasLineCount(1);
    }

    @Test
    void keepsHeadersOfOneName() throws Exception {
        create("headers", 1);
        produce("v\n", "headers", "--header", "h=1", "--header", "h=2");

        assertThat(consume("headers", "-o", "json").object())
                .containsEntry(
                        "headers", List.of(Map.of("name", "h", "value", "1"), Map.of("name", "h", "value", "2")));
    }

    @Test
    void refusesTwoFormatsAtOnce() {
        CommandRun refused = consume("any", "--format", "hex", "-o", "json");

        assertThat(refused.exitCode()).isEqualTo(64);
        assertThat(refused.err()).contains("-o json and --format hex").hasLineCount(1);
        assertThat(consume("any", "-o", "json", "--key-separator", ":").exitCode())
                .isEqualTo(64);
    }
}
