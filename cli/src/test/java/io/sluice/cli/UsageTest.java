package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.output.Console;
import io.sluice.cli.output.RecordingConsole;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What is wrong with a command line is said in one line, before any node is asked. */
class UsageTest {
    private final RecordingConsole recording = new RecordingConsole();

    private int run(String... arguments) {
        Console console = recording.console();
        CommandLine root = Cli.root();
        Cli.addCommands(root, console);
        return Cli.run(root, console, arguments);
    }

    private String refusal(String... arguments) {
        assertThat(run(arguments)).isEqualTo(64);
        assertThat(recording.out()).isEmpty();
        assertThat(recording.err()).startsWith("sluice: ").hasLineCount(1);
        return recording.err();
    }

    @ParameterizedTest
    @CsvSource({
        "topic create t --partitions 0,--partitions",
        "topic create t --partitions -1,--partitions",
        "topic create t --replication-factor 0,--replication-factor",
        "topic alter t --partitions -1,--partitions",
        "consume t --count 0,--count"
    })
    void refusesNumbersBelowOne(String command, String option) {
        assertThat(refusal(command.split(" ", -1))).contains("for " + option + ": allowed is 1 or more");
    }

    @Test
    void refusesAGroupWithoutAName() {
        assertThat(refusal("consume", "t", "--group", "")).contains("--group");
    }

    @Test
    void suggestsTheNearestCommand() {
        assertThat(refusal("topic", "lst")).contains("'lst'", "Did you mean 'list'?", "'sluice topic --help'");
    }

    @Test
    void suggestsNothingForAnArgumentTooMany() {
        assertThat(refusal("topic", "describe")).doesNotContain("Did you mean");
    }

    @Test
    void saysNothingTwice() {
        assertThat(refusal("topic", "create", "t", "--config", "retention.ms"))
                .startsWith("sluice: Invalid value for option '--config'");
    }

    @Test
    void separatesItsSentences() {
        assertThat(refusal("group", "reset-offsets", "g", "--to-latest", "--to-earliest"))
                .contains("(specify only one). See ")
                .doesNotContain("Error:");
    }

    @Test
    void saysThatAHostIsNotKnown() {
        assertThat(run("topic", "list", "--bootstrap-server", "a..b:1")).isEqualTo(69);
        assertThat(recording.err()).contains("knows no host 'a..b'").hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({
        "topic create t --partitions abc,--partitions",
        "topic create t --replication-factor 99999,--replication-factor",
        "consume t --count x,--count",
        "produce t --timeout x,--timeout"
    })
    void saysWhatANumberIs(String command, String option) {
        assertThat(refusal(command.split(" ", -1)))
                .contains("Invalid value '", "for option '" + option + "'", "allowed is a whole number up to ")
                .doesNotContain(" int", " short", " long");
    }

    @ParameterizedTest
    @CsvSource({
        "topic create t --config retention.ms,KEY=VALUE",
        "produce t --header trace,NAME=VALUE",
        "produce t --header =x,NAME=VALUE"
    })
    void namesTheFormOfAnAssignment(String command, String form) {
        assertThat(refusal(command.split(" ", -1))).contains("(" + form + ")", "'='");
    }

    @Test
    void refusesASettingGivenTwice() {
        assertThat(refusal("topic", "create", "t", "--config", "a=secret", "--config", "a=other"))
                .contains("--config gives 'a' twice.")
                .doesNotContain("secret", "other");
        assertThat(run("topic", "alter", "t", "--config", "a=1", "--delete-config", "a"))
                .isEqualTo(64);
    }

    @ParameterizedTest
    @CsvSource({
        "topic create,topic",
        "topic describe,topic",
        "topic alter --partitions 2,topic",
        "topic delete,topic",
        "produce,topic",
        "consume,topic",
        "group describe,group",
        "group delete,group",
        "group reset-offsets --to-latest,group"
    })
    void refusesAnEmptyName(String command, String kind) {
        List<String> words = new ArrayList<>(List.of(command.split(" ", -1)));
        words.add("");

        assertThat(refusal(words.toArray(String[]::new))).contains("name of a " + kind, "must not be empty");
    }

    @Test
    void saysThatThereIsNoSuchOption() {
        assertThat(refusal("topic", "list", "-x")).contains("Unknown option: '-x'");
    }

    @Test
    void leavesInternalTopicsToTheNode() {
        assertThat(refusal("topic", "create", "__consumer_offsets")).contains("makes it itself");
        assertThat(run("topic", "alter", "__consumer_offsets", "--partitions", "20"))
                .isEqualTo(64);
        assertThat(recording.err()).contains("would not be found again");
        assertThat(run("topic", "delete", "t", "__transaction_state")).isEqualTo(64);
    }
}
