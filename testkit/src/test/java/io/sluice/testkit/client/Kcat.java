package io.sluice.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.ChildProcess;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** kcat, and with it librdkafka. */
final class Kcat implements ForeignClient {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int RECORDS = 1_000;
    private static final Pattern ASSIGNED = Pattern.compile("rebalanced \\(memberid [^)]*\\): assigned: (.*)$");

    @Override
    public String name() {
        return "kcat";
    }

    @Override
    public Optional<String> missing() {
        return Commands.exists("kcat") ? Optional.empty() : Optional.of("install it with: apt-get install kcat");
    }

    @Override
    public void exercise(String bootstrap, String prefix) throws Exception {
        Path directory = Files.createDirectories(Settings.target().resolve("kcat"));
        for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
            producesAndConsumes(bootstrap, prefix + "-" + codec, codec, directory);
        }
        sharesPartitions(bootstrap, prefix + "-group", directory);
    }

    /** The topic comes into being by being produced to. */
    private static void producesAndConsumes(String bootstrap, String topic, String codec, Path directory)
            throws Exception {
        Path lines = directory.resolve(topic + ".txt");
        produce(bootstrap, topic, codec, lines, RECORDS);
        Commands.Outcome consumed = Commands.attempt(
                List.of("kcat", "-C", "-b", bootstrap, "-t", topic, "-o", "beginning", "-e", "-q", "-f", "%k:%s|%h\\n"),
                LIMIT);
        assertThat(consumed.exitStatus()).as(consumed.output()).isZero();
        assertThat(consumed.output().lines())
                .containsExactlyElementsOf(Files.readAllLines(lines).stream()
                        .map(line -> line + "|about=header of kcat")
                        .toList());
    }

    private static void produce(String bootstrap, String topic, String codec, Path lines, int count) throws Exception {
        List<String> content = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            content.add("key" + i + ":a value of kcat that is long enough to be worth compressing " + i);
        }
        Files.write(lines, content);
        Commands.Outcome produced = Commands.attempt(
                List.of(
                        "kcat",
                        "-P",
                        "-b",
                        bootstrap,
                        "-t",
                        topic,
                        "-z",
                        codec,
                        "-K",
                        ":",
                        "-H",
                        "about=header of kcat",
                        "-X",
                        "enable.idempotence=true",
                        "-l",
                        lines.toString()),
                LIMIT);
        assertThat(produced.exitStatus()).as(produced.output()).isZero();
        assertThat(produced.output()).doesNotContain("ERROR");
    }

    private static void sharesPartitions(String bootstrap, String topic, Path directory) throws Exception {
        TopicSetup.create(bootstrap, topic, 2);
        try (Member one = new Member(bootstrap, topic, directory.resolve(topic + "-1.out"))) {
            Await.until("kcat to own both partitions", LIMIT, one::partitions, count -> count == 2);
            try (Member two = new Member(bootstrap, topic, directory.resolve(topic + "-2.out"))) {
                Await.until(
                        "two kcats to own one partition each",
                        LIMIT,
                        () -> List.of(one.partitions(), two.partitions()),
                        List.of(1, 1)::equals);
                produce(bootstrap, topic, "none", directory.resolve(topic + ".txt"), RECORDS);
                Await.until(
                        "kcat members to get all",
                        LIMIT,
                        () -> one.values().size() + two.values().size(),
                        sum -> sum >= RECORDS);
                assertThat(one.values()).doesNotContainAnyElementsOf(two.values());
                one.leave();
                Await.until("the second kcat to own everything", LIMIT, two::partitions, count -> count == 2);
            }
        }
    }

    /** A kcat in a group. */
    private static final class Member implements AutoCloseable {
        private final ChildProcess process;
        private final Path output;

        Member(String bootstrap, String topic, Path output) throws Exception {
            Files.deleteIfExists(output);
            this.output = output;
            this.process = ChildProcess.start(
                    "kcat in a group",
                    List.of(
                            "kcat",
                            "-b",
                            bootstrap,
                            "-X",
                            "auto.offset.reset=earliest",
                            "-X",
                            "topic.metadata.refresh.interval.ms=500",
                            "-u",
                            "-f",
                            "value %k:%s\\n",
                            "-G",
                            topic + "-g",
                            topic),
                    Map.of(),
                    null,
                    output);
        }

        /** Partitions by its last word about them. */
        int partitions() {
            int count = 0;
            for (String line : lines()) {
                Matcher matcher = ASSIGNED.matcher(line);
                if (matcher.find()) {
                    count = matcher.group(1).isBlank() ? 0 : matcher.group(1).split(",", -1).length;
                } else if (line.contains("): revoked:")) {
                    count = 0;
                }
            }
            return count;
        }

        Set<String> values() {
            Set<String> values = new TreeSet<>();
            lines().stream().filter(line -> line.startsWith("value ")).forEach(values::add);
            return values;
        }

        void leave() throws Exception {
            process.terminate(LIMIT);
        }

        private List<String> lines() {
            try {
                return Files.exists(output) ? Files.readAllLines(output) : List.of();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            process.close();
        }
    }
}
