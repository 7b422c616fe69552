package io.sluice.cli.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.error.UserException;
import io.sluice.storage.file.LocalFileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDumpTest {
    @TempDir
    private Path directory;

    @BeforeEach
    void makeADataDirectory() throws Exception {
        Files.writeString(
                directory.resolve("meta.properties"), "format=1\ncluster.id=MkU3OEVBNTcwNTJENDM2Qg\nnode.id=1\n");
    }

    private List<String> dump(@Nullable String topic) throws Exception {
        List<String> lines = new ArrayList<>();
        new DataDump(new LocalFileSystem(), ZoneOffset.UTC, false, line -> lines.add(line.text()))
                .dump(directory, directory.resolve("journal"), topic);
        return lines;
    }

    @Test
    void saysThatTheJournalIsElsewhere() throws Exception {
        assertThat(dump(null)).last().asString().contains("missing path=" + directory.resolve("journal"), "--journal");
    }

    @Test
    void saysNothingOfTheJournalWhereItIsNotWanted() throws Exception {
        Files.createDirectories(directory.resolve("logs/1-t-0"));

        assertThat(dump("t")).noneMatch(line -> line.contains("journal"));
    }

    @Test
    void saysThatADirectoryIsNoJournal() throws Exception {
        Files.createDirectories(directory.resolve("journal"));
        Files.createFile(directory.resolve("journal/other"));

        assertThat(dump(null)).last().asString().contains("missing path=" + directory.resolve("journal"));
    }

    @Test
    void takesNoDirectoryOfAnotherProgramForALog() throws Exception {
        Path foreign = Files.createDirectories(directory.resolve("logs/2024-backup-1"));
        Files.createFile(foreign.resolve("notes.txt"));
        Files.createFile(directory.resolve("logs/1-file-0"));

        assertThat(dump(null))
                .anyMatch(line -> line.strip().startsWith("other path=" + foreign))
                .anyMatch(line -> line.strip().startsWith("other path=" + directory.resolve("logs/1-file-0")))
                .noneMatch(line -> line.strip().startsWith("log "));
    }

    @Test
    void isNoDataDirectoryWhereAllIsAnotherPrograms() throws Exception {
        Files.delete(directory.resolve("meta.properties"));
        Files.createFile(
                Files.createDirectories(directory.resolve("logs/2024-backup-1")).resolve("notes.txt"));

        assertThatThrownBy(() -> dump(null))
                .isInstanceOf(UserException.class)
                .hasMessageContaining(directory + " is no data directory");
    }

    @Test
    void saysThatThereIsNoLogOfATopic() {
        assertThatThrownBy(() -> dump("t"))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("no log of a topic 't' in " + directory);
    }
}
