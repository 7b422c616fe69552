package io.sluice.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SimulatedTime;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TextTableTest {
    private static final TextTable TABLE =
            new TextTable("NAME", "LAG").row("orders", 7).row("a\tb", 12_345).row("none", null);

    private static String print(boolean terminal, Map<String, String> environment) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        TABLE.print(new Console(
                InputStream.nullInputStream(),
                stream,
                stream,
                false,
                terminal,
                false,
                new SimulatedTime(0),
                ZoneOffset.UTC,
                environment,
                task -> {}));
        return out.toString(StandardCharsets.UTF_8);
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
