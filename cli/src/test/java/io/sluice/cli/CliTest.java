package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SimulatedTime;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.FailingOutput;
import io.sluice.cli.output.RecordingConsole;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What a process ends with. */
class CliTest {
    private final RecordingConsole recording = new RecordingConsole();

    @Command(name = "test")
    private record Scripted(Callable<Integer> script) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            return script.call();
        }
    }

    private int run(Console console, Callable<Integer> script) {
        CommandLine root = Cli.root().addSubcommand("test", new Scripted(script));
        return Cli.run(root, console, "test");
    }

    private int print(OutputStream out, int exitCode) {
        Console console = recording.console(out, new SimulatedTime(0));
        return run(console, () -> {
            console.out().println("result");
            return exitCode;
        });
    }

    @Test
    void printsAndEndsWithTheCommandsCode() {
        assertThat(print(recording.results(), 0)).isZero();
        assertThat(print(recording.results(), 1)).isEqualTo(1);
        assertThat(recording.out()).isEqualTo("result\nresult\n");
        assertThat(recording.err()).isEmpty();
    }

    @Test
    void failsWhenResultsCannotBeWritten() {
        assertThat(print(FailingOutput.fullDisk(3), 0)).isEqualTo(74);
        assertThat(recording.err())
                .isEqualTo("sluice: Cannot write the results to standard output: No space left on device.\n");
    }

    @Test
    void doesNotMindAReaderThatHasSeenEnough() {
        assertThat(print(FailingOutput.brokenPipe(3), 0)).isZero();
        assertThat(recording.err()).isEmpty();
    }

    @Test
    void prefersTheFailureOfTheCommandItself() {
        assertThat(print(FailingOutput.fullDisk(0), 65)).isEqualTo(65);
    }

    @Test
    void failsWhenTheHelpCannotBeWritten() {
        Console console = recording.console(FailingOutput.fullDisk(0), new SimulatedTime(0));

        assertThat(Cli.run(Cli.root(), console, "--help")).isEqualTo(74);
    }

    @Test
    void saysWhatIsWrongWithAFile() {
        int code = run(recording.console(), () -> {
            throw new UncheckedIOException(new AccessDeniedException("data/.lock"));
        });

        assertThat(code).isEqualTo(74);
        assertThat(recording.err()).isEqualTo("sluice: data/.lock: permission denied.\n");
    }

    @Test
    void callsADefectADefect() {
        int code = run(recording.console(), () -> {
            throw new IllegalStateException("odd");
        });

        assertThat(code).isEqualTo(70);
        assertThat(recording.err()).startsWith("sluice: a defect of Sluice: ").hasLineCount(1);
    }

    @Test
    void saysWhatToDoWithoutMemory() {
        int code = run(recording.console(), () -> {
            throw new OutOfMemoryError("Java heap space");
        });

        assertThat(code).isEqualTo(1);
        assertThat(recording.err())
                .startsWith("sluice: Out of memory (Java heap space). ")
                .contains("SLUICE_JAVA_OPTS")
                .hasLineCount(1);
    }
}
