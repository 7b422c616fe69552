package io.sluice.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TextTableTest {
    private static final TextTable TABLE =
            new TextTable("NAME", "LAG").row("orders", 7).row("a\tb", 12_345).row("none", null);

    private static String print(boolean terminal, Map<String, String> environment) {
        RecordingConsole recording = new RecordingConsole();
        Console console = terminal ? recording.terminal(environment) : recording.console();
        TABLE.print(console);
        console.out().flush();
        return recording.out();
    }

    @Test
    void alignsForPeople() {
        assertThat(print(true, Map.of("NO_COLOR", "1")))
                .isEqualTo("NAME      LAG\norders      7\na b     12345\nnone        -\n");
    }

    @Test
    void stressesTheHeadingsInColour() {
        assertThat(print(true, Map.of())).startsWith("\u001b[1mNAME      LAG\u001b[0m\n");
    }

    @Test
    void separatesByTabsForTools() {
        assertThat(print(false, Map.of())).isEqualTo("orders\t7\na b\t12345\nnone\t-\n");
    }
}
