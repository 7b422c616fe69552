package io.sluice.cli.output;

import java.util.List;
import picocli.CommandLine.Option;

/** The options of every command that prints something. */
public final class OutputOptions {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text or json. Default: ${DEFAULT-VALUE}.")
    private OutputFormat format = OutputFormat.text;

    /** Whether a program reads the result. */
    public boolean isJson() {
        return format == OutputFormat.json;
    }

    /** Prints a result: the value as one JSON document, or the table. */
    public void print(Console console, Object value, TextTable table) {
        if (isJson()) {
            console.out().println(Json.write(value));
        } else {
            table.print(console);
        }
    }

    /** Prints a result: the value as one JSON document, or the lines. */
    public void print(Console console, Object value, List<String> lines) {
        if (isJson()) {
            console.out().println(Json.write(value));
        } else {
            lines.forEach(console.out()::println);
        }
    }
}
