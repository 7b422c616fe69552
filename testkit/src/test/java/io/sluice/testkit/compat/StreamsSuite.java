package io.sluice.testkit.compat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.process.ChildProcess;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Kafka Streams' smoke test with exactly-once processing: a program writes 20,000 records over a minute and a half, another computes
 * from them, the first compares the results with what they must be. Meanwhile the broker is killed and started again three times.
 *
 * @param protocol classic or streams: how the computing program joins its group (KIP-1071)
 */
record StreamsSuite(String protocol) implements ForeignSuite {
    private static final String VERSION = "4.3.1";
    private static final String PROGRAM = "org.apache.kafka.streams.tests.StreamsSmokeTest";
    private static final String TEST = "StreamsSmokeTest, exactly_once_v2, three kills";
    private static final int PARTITIONS = 5;
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final Duration RUN_LIMIT = Duration.ofMinutes(12);
    private static final Pattern RUNNING = Pattern.compile("REBALANCING -> RUNNING");

    private static final Pattern VERDICT =
            Pattern.compile("record(Generated|Processed)=\\d+|[A-Z]+(-[A-Z]+)+|missedRecords=\\d+|SUCCESS|FAILURE");

    /** Records written when the broker is killed, of 20,000. */
    private static final List<Integer> KILLS = List.of(4_000, 9_000, 14_000);

    private static final List<String> TOPICS = List.of(
            "data",
            "echo",
            "max",
            "min",
            "min-suppressed",
            "min-raw",
            "dif",
            "sum",
            "sws-raw",
            "sws-suppressed",
            "cnt",
            "avg",
            "tagg",
            "fk");

    @Override
    public String title() {
        return "kafka-streams " + VERSION + ", smoke test, " + protocol + " groups";
    }

    @Override
    public Optional<String> missing() {
        return Commands.exists("mvn") ? Optional.empty() : Optional.of("install Maven (apt-get install maven)");
    }

    @Override
    public void prepare() throws Exception {
        jars();
    }

    private static Path jars() throws IOException, InterruptedException {
        return ForeignJars.fetch(
                "streams",
                List.of(
                        "org.apache.kafka:kafka-streams:" + VERSION,
                        "org.apache.kafka:kafka-streams:" + VERSION + ":test",
                        "org.apache.kafka:kafka-clients:" + VERSION + ":test",
                        "org.slf4j:slf4j-simple:1.7.36"));
    }

    @Override
    public List<String> tests() {
        return List.of(TEST);
    }

    /** Its topics are made once. */
    @Override
    public int tries() {
        return 1;
    }

    @Override
    public SuiteOutcome run(String test, BrokerUnderTest broker) throws Exception {
        Path directory = Files.createTempDirectory(
                Files.createDirectories(Settings.target().resolve("compat/streams")),
                protocol + "-" + broker.kind() + "-");
        for (String topic : TOPICS) {
            TopicSetup.create(broker.bootstrapServers(), topic, PARTITIONS);
        }
        Path properties = Files.write(
                directory.resolve("streams.properties"),
                List.of(
                        "bootstrap.servers=" + broker.bootstrapServers(),
                        "processing.guarantee=exactly_once_v2",
                        "group.protocol=" + protocol,
                        "state.dir=" + directory.resolve("state")));
        try (ChildProcess computing = start(directory, properties, "process", RUNNING)) {
            computing.awaitReady(START_LIMIT);
            return drive(broker, directory, properties, computing);
        }
    }

    private SuiteOutcome drive(BrokerUnderTest broker, Path directory, Path properties, ChildProcess computing)
            throws Exception {
        try (ChildProcess driver = start(directory, properties, "run", null)) {
            for (int records : KILLS) {
                awaitWritten(driver, records);
                broker.kill9();
                Duration down = broker.start();
                System.out.println(
                        "compat: streams: killed after " + records + " records, back in " + down.toMillis() + " ms");
            }
            driver.awaitExit(RUN_LIMIT);
        }
        String output = Files.readString(directory.resolve("run.log"));
        String computed = Files.readString(directory.resolve("process.log"));
        boolean succeeded = output.lines().anyMatch("SUCCESS"::equals)
                && output.lines().anyMatch("ALL-RECORDS-DELIVERED"::equals)
                && !output.contains("PROCESSED-MORE-THAN-GENERATED")
                && computing.alive()
                && !computed.contains("SMOKE-TEST-CLIENT-EXCEPTION");
        return succeeded ? SuiteOutcome.passed() : SuiteOutcome.failed(verdict(output, computing));
    }

    /** What the program says of the results, without what it says of each. */
    private static String verdict(String output, ChildProcess computing) {
        String said =
                output.lines().filter(line -> VERDICT.matcher(line).matches()).collect(Collectors.joining(", "));
        return (computing.alive() ? "" : "the computing program has ended, ") + said;
    }

    private static void awaitWritten(ChildProcess driver, int records) throws Exception {
        driver.awaitLine(Pattern.compile(" " + records + " records produced$"), RUN_LIMIT);
    }

    private ChildProcess start(
            Path directory, Path properties, String command, @org.jspecify.annotations.Nullable Pattern ready)
            throws IOException, InterruptedException {
        List<String> line = KafkaJvm.command(
                KafkaJvm.classPathOf(jars()),
                List.of(
                        "-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp")),
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"),
                PROGRAM,
                List.of(properties.toString(), command));
        return ChildProcess.start(command, line, Map.of(), ready, directory.resolve(command + ".log"));
    }
}
