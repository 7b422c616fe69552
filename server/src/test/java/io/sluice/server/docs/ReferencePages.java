package io.sluice.server.docs;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigSchema;
import io.sluice.base.error.ExitCode;
import io.sluice.base.metric.Metric;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.TopicConfigKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help;

/** Writes the reference pages as Markdown. */
final class ReferencePages {
    private static final int HELP_WIDTH = 100;

    private ReferencePages() {}

    static String config() {
        StringBuilder page = new StringBuilder("""
                # Settings

                Made from the code by the build; see CONTRIBUTING.md. An unknown key is refused at the start, with the nearest
                one named; so are a value that is not allowed, memory that the process does not have, and a key that stands twice
                in the file or in `--set`. The file is in UTF-8.

                ## Of a node

                In the file given with `--config`, or with `--set key=value`. "at once": can be changed while the node runs
                (IncrementalAlterConfigs) and is kept over restarts; the others take effect at the next start.

                """);
        keys(page, BrokerConfigKeys.SCHEMA, true);
        page.append("""

                ## Of a topic

                With `sluice topic create --config` or `sluice topic alter --config`, at once and kept. What a topic does not set
                it takes from the node's setting of the same meaning (`log.…`), where there is one.

                """);
        keys(page, TopicConfigKeys.SCHEMA, false);
        return page.toString();
    }

    private static void keys(StringBuilder page, ConfigSchema schema, boolean withScope) {
        page.append(
                        withScope
                                ? "| key | default | allowed | effect | what it does |\n"
                                : "| key | default | allowed | what it does |\n")
                .append(withScope ? "| --- | --- | --- | --- | --- |\n" : "| --- | --- | --- | --- |\n");
        schema.keys().stream().sorted(Comparator.comparing(ConfigKey::name)).forEach(key -> {
            page.append("| `").append(key.name()).append("` | ");
            page.append(defaultText(key));
            page.append(" | ").append(cell(key.allowed()));
            if (withScope) {
                page.append(" | ").append(key.scope() == ConfigKey.Scope.DYNAMIC ? "at once" : "next start");
            }
            page.append(" | ").append(cell(key.doc())).append(" |\n");
        });
    }

    private static String defaultText(ConfigKey<?> key) {
        String text = key.defaultText();
        if (text == null) {
            return "none";
        }
        return text.isEmpty() ? "empty" : "`" + cell(text) + "`";
    }

    static String metrics() {
        StringBuilder page = new StringBuilder("""
                # Metrics

                Made from the code by the build; see CONTRIBUTING.md. Served in Prometheus' text format at
                `http://127.0.0.1:9644/metrics` (`--admin-port`). Counters end with `_total`, histograms have `_bucket`, `_sum`
                and `_count`.

                | metric | kind | labels | what it tells |
                | --- | --- | --- | --- |
                """);
        Arrays.stream(Metric.values())
                .sorted(Comparator.comparing(Metric::metricName))
                .forEach(metric -> page.append("| `")
                        .append(metric.metricName())
                        .append(metric.kind() == Metric.Kind.COUNTER ? "_total" : "")
                        .append("` | ")
                        .append(kind(metric))
                        .append(" | ")
                        .append(String.join(", ", metric.labels()))
                        .append(" | ")
                        .append(cell(metric.help()))
                        .append(" |\n"));
        return page.toString();
    }

    private static String kind(Metric metric) {
        return switch (metric.kind()) {
            case COUNTER -> "counter";
            case GAUGE -> "gauge";
            case HISTOGRAM_SECONDS, HISTOGRAM_BYTES -> "histogram";
        };
    }

    static String commands(CommandLine root) {
        StringBuilder page = new StringBuilder("""
                # Commands

                Made from the code by the build; see CONTRIBUTING.md.

                - `./sluice` builds the product on first use; `./sluice build` builds it again. `JAVA_HOME` chooses the JDK (17 or
                  newer), `SLUICE_JAVA_OPTS` adds JVM options. `NO_COLOR` switches colours off, `SLUICE_DEBUG=1` shows the details
                  of a failure.
                - Results go to standard output, everything else to standard error. On a terminal results are tables; elsewhere
                  each row is one line with its fields separated by tabs, without headings. `-o json` prints one JSON document
                  (`consume` and `log dump`: one a line). Without it `topic describe` and `group describe` begin with a line in
                  words on each topic or group, the settings of a topic indented below it, before the rows of its partitions;
                  `log dump` prints a kind and `name=value` pairs, indented by what belongs to what.
                - Results that cannot be written end with 74, as does input that cannot be read, a closed stream included; a
                  reader who leaves, as `head` does, is no failure.
                - `produce -o json` prints what was acknowledged also when it fails or is interrupted, with the reason in `error`;
                  interrupted, it says up to which line it had got, and waits two seconds at most for what is under way; `group
                  reset-offsets` takes the nearest offset where there is none, says so on standard error, and with `-o json` in
                  `warning`.
                - `consume --follow --group` of a group without positions begins at the end and commits nothing before its first
                  record: what is sent between two such runs is not printed. `group reset-offsets` gives it a position.
                - `group list` lists what can be read and ends with 1 where a partition of `__consumer_offsets` cannot; the other
                  commands of such a group, and `consume --group`, say so after `--timeout`.
                - `produce` that is refused tries again for `--timeout`, then says what the node answers and ends with 1. Behind the
                  last line it gives up once no acknowledgement has come for that long. A line is 67,108,864 bytes at most, also
                  where `max.message.bytes` allows more; at a longer one, and with `--key-separator` at one without the separator,
                  it stops with 65, and says how many records before it were sent.
                - `consume -o json`, and `--format json`, give `key` and `value` as text, or in Base64 as `keyBase64` and
                  `valueBase64` where they are no UTF-8.
                - `produce` sends what stands between two line feeds (`\\n`), byte by byte: a carriage return before one is part of
                  the record. The last line needs none. `consume` puts a line feed behind each record and changes nothing else.
                - `consume` leaves its group whatever it was at when it is interrupted or gives up. With `--follow` it says on
                  standard error when its node cannot be reached, and when it answers again, and goes on where it was.
                - Times are ISO-8601 with zone, read and written.

                ## Exit codes

                | code | meaning |
                | --- | --- |
                """);
        for (ExitCode code : ExitCode.values()) {
            page.append("| ")
                    .append(code.code())
                    .append(" | ")
                    .append(meaning(code))
                    .append(" |\n");
        }
        page.append(
                "| 129, 130, 143 | Ended by SIGHUP, SIGINT or SIGTERM; a node that stops in order ends with 0. |\n");
        page.append("\n## `sluice`\n");
        help(page, root);
        commandsBelow(page, root, "sluice");
        return page.toString();
    }

    private static void commandsBelow(StringBuilder page, CommandLine parent, String path) {
        parent.getSubcommands().forEach((name, command) -> {
            String full = path + " " + name;
            page.append("\n## `").append(full).append("`\n");
            help(page, command);
            commandsBelow(page, command, full);
        });
    }

    private static void help(StringBuilder page, CommandLine command) {
        command.getCommandSpec().usageMessage().width(HELP_WIDTH);
        page.append("\n```\n")
                .append(command.getUsageMessage(Help.Ansi.OFF).stripTrailing())
                .append("\n```\n");
    }

    private static String meaning(ExitCode code) {
        return switch (code) {
            case OK -> "Everything asked for was done.";
            case FAILED -> "The command ran and found something wrong, or part of the work failed.";
            case USAGE ->
                "Unknown command or option, missing argument, wrong value on the command line (`--set` and `--config KEY=VALUE` included).";
            case BAD_DATA ->
                "Input data is wrong: a damaged file, a directory of another cluster or of a newer format.";
            case UNAVAILABLE -> "No node answers at the address given; no JDK or Maven to build with.";
            case INTERNAL -> "A defect of Sluice, or a build that failed.";
            case CANNOT_CREATE ->
                "The machine does not allow it: port in use or address of no interface, directory not writable or held by another process.";
            case IO_ERROR -> "Reading or writing failed.";
            case CONFIG ->
                "The configuration file is malformed, or holds an unknown key or a value that is not allowed.";
        };
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("\n", " ");
    }

    /** All pages with their names. */
    static List<Page> all(CommandLine root) {
        List<Page> pages = new ArrayList<>();
        pages.add(new Page("config.md", config()));
        pages.add(new Page("metrics.md", metrics()));
        pages.add(new Page("cli.md", commands(root)));
        return pages;
    }

    record Page(String name, String text) {
        @Override
        public String toString() {
            return name.toLowerCase(Locale.ROOT);
        }
    }
}
