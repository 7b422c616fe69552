package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.Cli;
import io.sluice.cli.output.RecordingConsole;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class DoctorCommandTest {
    @ParameterizedTest
    @CsvSource({"--port,70000", "--port,-1", "--admin-port,65536"})
    void refusesAPortThatCannotBe(String option, String value) {
        RecordingConsole recording = new RecordingConsole();
        CommandLine root = Cli.root().addSubcommand("doctor", new DoctorCommand(recording.console()));

        int code = Cli.run(root, recording.console(), "doctor", option, value);

        assertThat(code).isEqualTo(64);
        assertThat(recording.err())
                .isEqualTo("sluice: Invalid value '" + value + "' for " + option
                        + ": allowed is 0 to 65535. See 'sluice doctor" + " --help'.\n");
    }
}
