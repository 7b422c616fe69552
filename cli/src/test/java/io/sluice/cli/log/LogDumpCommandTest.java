package io.sluice.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SimulatedTime;
import io.sluice.cli.Cli;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.FailingOutput;
import io.sluice.cli.output.RecordingConsole;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class LogDumpCommandTest {
    private final RecordingConsole recording = new RecordingConsole();

    @TempDir
    private Path directory;

    @BeforeEach
    void makeADataDirectory() throws Exception {
        Files.writeString(
                directory.resolve("meta.properties"), "format=1\ncluster.id=MkU3OEVBNTcwNTJENDM2Qg\nnode.id=1\n");
        Files.createFile(directory.resolve(".lock"));
    }

    private int dump(OutputStream out, String... options) {
        Console console = recording.console(out, new SimulatedTime(0));
        String[] arguments = new String[options.length + 3];
        arguments[0] = "log";
        arguments[1] = "dump";
        arguments[2] = directory.toString();
        System.arraycopy(options, 0, arguments, 3, options.length);
        CommandLine root = Cli.root().addSubcommand("log", LogCommands.commandLine(console));
        return Cli.run(root, console, arguments);
    }

    @Test
    void refusesAJournalThatIsNotThere() {
        Path none = directory.resolve("none");

        assertThat(dump(recording.results(), "--journal", none.toString())).isEqualTo(65);
        assertThat(recording.err()).isEqualTo("sluice: There is no directory " + none + " (--journal).\n");
    }

    @Test
    void refusesATopicThatHasNoLogThere() {
        assertThat(dump(recording.results(), "--topic", "none")).isEqualTo(65);
        assertThat(recording.err()).contains("no log of a topic 'none'").hasLineCount(1);
    }

    @Test
    void stopsWhenNobodyReadsAnyMore() {
        assertThat(dump(FailingOutput.brokenPipe(0))).isZero();
        assertThat(recording.err()).isEmpty();
    }

    @Test
    void failsWhenItCannotBeWritten() {
        assertThat(dump(FailingOutput.fullDisk(0))).isEqualTo(74);
        assertThat(recording.err()).contains("No space left on device").hasLineCount(1);
    }
}
