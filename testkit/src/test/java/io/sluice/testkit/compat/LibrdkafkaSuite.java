package io.sluice.testkit.compat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.compat.SuiteOutcome.Kind;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * librdkafka's own tests, those that need a broker and none of Kafka's shell scripts. Its sources come with an npm package.
 *
 * @param protocol classic or consumer: how consumers of groups join (KIP-848)
 */
record LibrdkafkaSuite(String protocol) implements ForeignSuite {
    private static final String PACKAGE = "@confluentinc/kafka-javascript@1.10.1";
    private static final String VERSION = "2.15.1";

    /** The newest broker version whose features the tests know. */
    private static final String BROKER_VERSION = "4.2.0";

    private static final Duration BUILD_LIMIT = Duration.ofMinutes(40);
    private static final Duration TEST_LIMIT = Duration.ofMinutes(4);
    private static final List<String> TOOLS = List.of("npm", "tar", "gcc", "g++", "make");

    /** They call Kafka's shell scripts. */
    private static final Set<String> NEED_SCRIPTS =
            Set.of("0052", "0077", "0101", "0107", "0109", "0115", "0119", "0142");

    private static final Pattern FILE = Pattern.compile("(\\d{4})-(.*)\\.c(pp)?");
    private static final Pattern NO_BROKER = Pattern.compile("_mock|_local|mock_cluster|unittests");

    @Override
    public String title() {
        return "librdkafka " + VERSION + ", " + protocol + " groups";
    }

    @Override
    public Optional<String> missing() {
        List<String> absent =
                TOOLS.stream().filter(tool -> !Commands.exists(tool)).toList();
        return absent.isEmpty()
                ? Optional.empty()
                : Optional.of("install " + absent + " (apt-get install npm build-essential zlib1g-dev libssl-dev)");
    }

    private static Path directory() {
        return Settings.target().resolve("compat/librdkafka");
    }

    private static Path sources() {
        return directory().resolve("package/deps/librdkafka");
    }

    private static Path testDirectory() {
        return sources().resolve("tests");
    }

    @Override
    public void prepare() throws Exception {
        if (Files.isExecutable(testDirectory().resolve("test-runner"))) {
            return;
        }
        Files.createDirectories(directory());
        System.out.println("compat: fetching and building librdkafka " + VERSION);
        shell(directory(), "npm pack --silent " + PACKAGE + " && tar xzf confluentinc-kafka-javascript-*.tgz");
        shell(sources(), "./configure --disable-gssapi && make libs && make -C tests build");
    }

    private static void shell(Path where, String command) throws IOException, InterruptedException {
        Commands.Outcome outcome =
                Commands.attempt(List.of("sh", "-c", "cd '" + where + "' && " + command), BUILD_LIMIT);
        if (outcome.exitStatus() != 0) {
            String output = outcome.output();
            throw new IOException(command + " ended with " + outcome.exitStatus() + ": "
                    + output.substring(Math.max(0, output.length() - 2_000)));
        }
    }

    @Override
    public List<String> tests() {
        try (Stream<Path> files = Files.list(testDirectory())) {
            return files.map(file -> FILE.matcher(file.getFileName().toString()))
                    .filter(Matcher::matches)
                    .filter(file -> !NO_BROKER.matcher(file.group(2)).find())
                    .map(file -> file.group(1))
                    .filter(number -> !NEED_SCRIPTS.contains(number))
                    .distinct()
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public SuiteOutcome run(String test, BrokerUnderTest broker) throws Exception {
        Files.writeString(
                testDirectory().resolve("test.conf"), "bootstrap.servers=" + broker.bootstrapServers() + "\n");
        Path output = Files.createTempFile(directory(), "test", ".out");
        ProcessBuilder builder = new ProcessBuilder("./test-runner", "-p1", "-Q", "-E")
                .directory(testDirectory().toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment()
                .putAll(Map.of(
                        "LD_LIBRARY_PATH", "../src:../src-cpp",
                        "TEST_KAFKA_VERSION", BROKER_VERSION,
                        "TEST_CONSUMER_GROUP_PROTOCOL", protocol,
                        "TESTS", test));
        Process process = builder.start();
        try {
            if (!process.waitFor(TEST_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                return new SuiteOutcome(Kind.TIMED_OUT, "not done after " + TEST_LIMIT.toSeconds() + " s");
            }
            return outcome(process.exitValue(), Files.readString(output));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            Files.delete(output);
        }
    }

    private static SuiteOutcome outcome(int exitStatus, String output) {
        if (exitStatus != 0) {
            return new SuiteOutcome(Kind.FAILED, lineWith(output, "FAIL"));
        }
        String skipped = lineWith(output, "SKIPPING");
        boolean passed = output.contains("PASSED");
        return passed ? SuiteOutcome.passed() : new SuiteOutcome(Kind.SKIPPED, skipped);
    }

    private static String lineWith(String output, String word) {
        return output.lines()
                .filter(line -> line.contains(word))
                .findFirst()
                .map(line -> line.replaceAll("\\x1b\\[[0-9;]*m", "").strip())
                .orElse("");
    }
}
