package io.sluice.testkit.command;

import io.sluice.base.time.SystemClock;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.ResultStream;
import io.sluice.server.Main;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/**
 * A command run inside the test's process, with what it printed.
 *
 * @param exitCode what the process would have ended with
 * @param out standard output
 * @param err standard error
 */
public record CommandRun(int exitCode, String out, String err) {
    /** Runs a command without any input. */
    public static CommandRun of(String... arguments) {
        return withInput("", arguments);
    }

    /** Runs a command with this standard input. */
    static CommandRun withInput(String input, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                new ResultStream(out),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false,
                false,
                false,
                SystemClock.INSTANCE,
                ZoneOffset.UTC,
                Map.of(),
                task -> {});
        int exitCode = Main.run(console, arguments);
        return new CommandRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** The lines of standard output. */
    public List<String> lines() {
        return out.lines().toList();
    }

    /** Standard output as one JSON object. */
    @SuppressWarnings("unchecked") // parsed JSON is maps and lists
    Map<String, Object> object() throws Exception {
        return Json.read(out, Map.class);
    }

    /** Standard output as one JSON array of objects. */
    @SuppressWarnings("unchecked") // parsed JSON is maps and lists
    List<Map<String, Object>> array() throws Exception {
        return (List<Map<String, Object>>) Json.read(out, List.class);
    }
}
