package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.output.Json;
import io.sluice.testkit.broker.BrokerProcess;
import io.sluice.testkit.broker.SluiceNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice log dump} on a directory that a node has written. */
class LogDumpCommandTest {
    @TempDir
    private Path directory;

    private Path data() {
        return directory.resolve("data");
    }

    /** A node that has taken three records for one topic and one for another; stopped unless told otherwise. */
    private BrokerProcess written() throws Exception {
        BrokerProcess node = SluiceNode.prepare(directory.resolve("node"), data(), Map.of(), List.of());
        node.start();
        for (String topic : List.of("dumped", "other")) {
            CommandRun.of(Arguments.of(node, List.of("topic", "create", topic)));
        }
        assertThat(CommandRun.withInput("a\nb\nc\n", Arguments.of(node, List.of("produce", "dumped")))
                        .exitCode())
                .isZero();
        assertThat(CommandRun.withInput("d\n", Arguments.of(node, List.of("produce", "other")))
                        .exitCode())
                .isZero();
        return node;
    }

    private static List<Map<?, ?>> documents(CommandRun run) throws Exception {
        List<Map<?, ?>> documents = new ArrayList<>();
        for (String line : run.lines()) {
            documents.add(Json.read(line, Map.class));
        }
        return documents;
    }

    @Test
    void showsSegmentsBatchesAndJournal() throws Exception {
        written().stop();

        CommandRun text = CommandRun.of("log", "dump", data().toString());
        CommandRun json = CommandRun.of("log", "dump", data().toString(), "-o", "json");

        assertThat(text.exitCode()).as(text.err()).isZero();
        assertThat(text.lines().get(0)).startsWith("directory path=" + data() + " format=1 clusterId=");
        assertThat(text.out()).doesNotContain("other path=");
        assertThat(text.out())
                .contains("topic=dumped partition=0", "baseOffset=0 lastOffset=2 records=3", "entryKind=BATCH")
                .contains("cleanStop=true");
        assertThat(documents(json).stream().map(document -> String.valueOf(document.get("kind"))))
                .contains("directory", "log", "segment", "batch", "segment end", "journal", "block", "entry");
    }

    @Test
    void showsOneTopicInShort() throws Exception {
        written().stop();

        CommandRun run = CommandRun.of("log", "dump", data().toString(), "--topic", "dumped", "--summary");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("topic=dumped", "batches=1 records=3").doesNotContain("other", "batch position");
    }

    @Test
    void findsAFlippedByte() throws Exception {
        written().stop();
        Path segment = segment("dumped");
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            file.seek(file.length() - 1);
            int last = file.read();
            file.seek(file.length() - 1);
            file.write(last ^ 1);
        }

        CommandRun run = CommandRun.of("log", "dump", data().toString());

        assertThat(run.exitCode()).isEqualTo(65);
        assertThat(run.out()).contains("damage file=" + segment + " position=0 what=the batch at offset 0");
    }

    @Test
    void findsBytesThatAreNoBatch() throws Exception {
        written().stop();
        Path segment = segment("dumped");
        Files.write(segment, new byte[] {1, 2, 3}, java.nio.file.StandardOpenOption.APPEND);

        CommandRun run = CommandRun.of("log", "dump", data().toString(), "--topic", "dumped");

        assertThat(run.exitCode()).isEqualTo(65);
        assertThat(run.out()).contains("3 bytes that are no whole batch");
    }

    private Path segment(String topic) throws IOException {
        try (var files = Files.walk(data().resolve("logs"))) {
            return files.filter(path -> path.toString().contains("-" + topic + "-")
                            && path.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void leavesADirectoryInUseAlone() throws Exception {
        try (BrokerProcess node = written()) {
            CommandRun run = CommandRun.of("log", "dump", data().toString());

            assertThat(run.exitCode()).isEqualTo(73);
            assertThat(run.err()).contains("process " + node.pid()).hasLineCount(1);
            Files.delete(data().resolve(".lock"));

            CommandRun unmarked = CommandRun.of("log", "dump", data().toString());

            assertThat(unmarked.exitCode()).isEqualTo(73);
            assertThat(unmarked.err()).contains("in use by another process");
        }
    }

    @Test
    void changesNothing() throws Exception {
        written().stop();
        List<String> before = fingerprint();

        CommandRun.of("log", "dump", data().toString());

        assertThat(fingerprint()).isEqualTo(before);
    }

    private List<String> fingerprint() throws IOException {
        List<String> lines = new ArrayList<>();
        try (var files = Files.walk(data())) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                lines.add(file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
        }
        return lines;
    }

    @Test
    void refusesWhatIsNoDataDirectory() throws Exception {
        Files.createDirectories(directory.resolve("empty"));

        assertThat(CommandRun.of("log", "dump", directory.resolve("empty").toString())
                        .exitCode())
                .isEqualTo(65);
        assertThat(CommandRun.of("log", "dump", directory.resolve("none").toString())
                        .exitCode())
                .isEqualTo(65);
        assertThat(CommandRun.of("log").exitCode()).isEqualTo(64);
    }

    @Test
    void tellsWhatIsMissing() throws Exception {
        written().stop();
        for (String name : List.of("journal", "catalogue", "metadata", "meta.properties")) {
            Path missing = data().resolve(name);
            Path aside = Files.move(missing, directory.resolve("aside"));

            CommandRun run = CommandRun.of("log", "dump", data().toString(), "--summary");

            assertThat(run.exitCode()).as(name).isEqualTo(65);
            assertThat(run.out()).contains("missing path=" + missing + " advice=", "topic=dumped");
            Files.move(aside, missing);
        }
        Files.delete(data().resolve(".lock"));
        assertThat(CommandRun.of("log", "dump", data().toString()).exitCode()).isZero();
    }

    @Test
    void saysThatAFileIsNoDirectory() throws Exception {
        Path file = Files.createFile(directory.resolve("some.log"));

        CommandRun run = CommandRun.of("log", "dump", file.toString());

        assertThat(run.exitCode()).isEqualTo(65);
        assertThat(run.err()).contains(file + " is a file").hasLineCount(1);
    }
}
