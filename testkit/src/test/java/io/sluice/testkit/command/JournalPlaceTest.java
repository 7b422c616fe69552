package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerProcess;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.process.Commands;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Where a node that keeps its journal elsewhere runs, and another is to begin in its directories. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JournalPlaceTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private Path directory;

    private Path data;
    private Path journal;
    private BrokerProcess node;

    @BeforeAll
    void startNode(@TempDir Path place) throws Exception {
        directory = place;
        data = directory.resolve("data");
        journal = directory.resolve("journal");
        node = SluiceNode.prepare(directory, data, Map.of("sluice.journal.dir", journal.toString()), List.of());
        node.start();
    }

    @AfterAll
    void stopNode() throws Exception {
        node.close();
    }

    private String refusal(Path otherData, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(SluiceNode.launcher().toString(), "start", "--port", "0"));
        command.addAll(List.of("--admin-port", "0", "--data", otherData.toString()));
        command.addAll(List.of(options));
        Commands.Outcome outcome = Commands.attempt(command, TIMEOUT);
        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(73);
        List<String> said = outcome.output()
                .lines()
                .filter(line -> line.startsWith("sluice: "))
                .toList();
        assertThat(said).as(outcome.output()).hasSize(1);
        return said.get(0);
    }

    @Test
    void refusesDataInItsJournal() throws Exception {
        assertThat(refusal(journal)).contains("Data directory " + journal + " is the directory of a journal");
        assertThat(refusal(journal.resolve("inner")))
                .contains("would lie inside " + journal + ", the directory of a journal");
        assertThat(journal.resolve("inner")).doesNotExist();
    }

    @Test
    void refusesAJournalInItsData() throws Exception {
        Path other = directory.resolve("other");

        assertThat(refusal(other, "--set", "sluice.journal.dir=" + data))
                .contains("Journal directory " + data + " (sluice.journal.dir) is the data directory of another node");
        assertThat(refusal(other, "--set", "sluice.journal.dir=" + data.resolve("inner")))
                .contains("would lie inside the data directory " + data + " of another node");
        assertThat(data.resolve("inner")).doesNotExist();
        assertThat(other).doesNotExist();
    }

    /** A link is not known for it before it is followed. */
    @Test
    void refusesAJournalThatIsItsDataDirectory() throws Exception {
        Path fourth = Files.createDirectory(directory.resolve("fourth"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), fourth);

        assertThat(refusal(fourth, "--set", "sluice.journal.dir=" + link))
                .contains("Journal directory " + fourth + " (sluice.journal.dir) is the data directory itself");
        assertThat(fourth).isEmptyDirectory();
    }

    @Test
    void refusesItsJournal() throws Exception {
        assertThat(refusal(directory.resolve("third"), "--set", "sluice.journal.dir=" + journal))
                .contains("Journal directory " + journal + " (sluice.journal.dir) is in use by process " + node.pid());
    }
}
