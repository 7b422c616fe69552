package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.output.Console;
import io.sluice.cli.output.RecordingConsole;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
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
        "topic create t --partitions 0,--partitions,1 to 2147483647",
        "topic create t --partitions abc,--partitions,1 to 2147483647",
        "topic create t --partitions 2147483648,--partitions,1 to 2147483647",
        "topic create t --replication-factor 0,--replication-factor,1 to 32767",
        "topic create t --replication-factor 99999,--replication-factor,1 to 32767",
        "topic alter t --partitions -1,--partitions,1 to 2147483647",
        "produce t --partition -1,--partition,0 to 2147483647",
        "produce t --timeout x,--timeout,1 to 3600",
        "topic list --timeout 3601,--timeout,1 to 3600",
        "consume t --count 0,--count,1 to 9223372036854775807",
        "consume t --offset -1,--offset,0 to 9223372036854775807",
        "consume t --offset 9223372036854775808,--offset,0 to 9223372036854775807",
        "group reset-offsets g --to-offset -1,--to-offset,0 to 9223372036854775807",
        "group reset-offsets g --shift much,--shift,a whole number",
        "doctor --port 65536,--port,0 to 65535",
        "doctor --admin-port x,--admin-port,0 to 65535"
    })
    void namesTheTrueRangeOfANumber(String command, String option, String range) {
        String[] words = command.split(" ", -1);

        assertThat(refusal(words))
                .startsWith("sluice: Invalid value '" + words[words.length - 1] + "' for " + option + ": allowed is "
                        + range + ". See '");
    }

    @Test
    void refusesAGroupWithoutAName() {
        assertThat(refusal("consume", "t", "--group", "")).contains("--group");
    }

    @Test
    void suggestsTheNearestCommand() {
        assertThat(refusal("topic", "lst"))
                .isEqualTo(
                        "sluice: There is no command 'topic lst'. Did you mean 'list'? See 'sluice topic --help'.\n");
        assertThat(run("bogus")).isEqualTo(64);
        assertThat(recording.err()).endsWith("sluice: There is no command 'bogus'. See 'sluice --help'.\n");
        assertThat(run("tpic", "list")).isEqualTo(64);
        assertThat(recording.err())
                .endsWith("sluice: There is no command 'tpic'. Did you mean 'topic'? See 'sluice --help'.\n");
        assertThat(run("topic", "list", "more")).isEqualTo(64);
        assertThat(recording.err())
                .endsWith("sluice: 'more' is one argument too many. See 'sluice topic list --help'.\n");
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

    @ParameterizedTest
    @ValueSource(strings = {"topic delete -x", "produce --verbose", "group reset-offsets g --to-newest"})
    void namesAnOptionThatItDoesNotKnowBeforeWhatIsMissing(String command) {
        String[] words = command.split(" ", -1);

        assertThat(refusal(words)).startsWith("sluice: Unknown option: '" + words[words.length - 1] + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"produce nope/x", "consume nope/x"})
    void saysWhatANameOfATopicIsMadeOf(String command) {
        assertThat(refusal(command.split(" ", -1)))
                .contains("'nope/x' is not allowed: only letters, digits, dots, underscores and dashes")
                .doesNotContain("line 1");
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
