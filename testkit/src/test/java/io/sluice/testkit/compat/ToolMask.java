package io.sluice.testkit.compat;

import io.sluice.testkit.broker.BrokerUnderTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes out of what a tool prints what must differ between two brokers: addresses, directories, ids, times, and the width of
 * columns, which follows from them.
 */
final class ToolMask {
    private record Rule(Pattern pattern, String replacement) {
        Rule(String pattern, String replacement) {
            this(Pattern.compile(pattern), replacement);
        }
    }

    private static final List<Rule> RULES = List.of(
            new Rule("[ \\t]+", " "),
            new Rule("\\b127\\.0\\.0\\.1[: ]\\d+", "ADDRESS"),
            new Rule("\\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b", "UUID"),
            new Rule("(?<![\\w-])(?=[\\w-]*[A-Z])(?=[\\w-]*[a-z])[\\w-]{22}(?![\\w-])", "ID"),
            new Rule("\\b\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[0-9.:+Z-]*", "TIME"),
            new Rule("\\b1[789]\\d{11}\\b", "MILLIS"),
            new Rule("\\bEpoch: \\d+$", "Epoch: NUMBER"));

    /** Columns of tables whose values differ from run to run; the table's first line names them. */
    private static final Set<String> COLUMNS = Set.of(
            "ProducerId", "CurrentTransactionStartTimeMs", "TransactionDurationMs", "LastTimestamp", "DurationMs");

    private final BrokerUnderTest broker;
    private final String directory;

    /**
     * @param directory of the files that commands name
     */
    ToolMask(BrokerUnderTest broker, String directory) {
        this.broker = broker;
        this.directory = directory;
    }

    /** The lines of an output that are neither blank nor of a stack trace, masked. */
    List<String> lines(String output) {
        List<String> header = List.of();
        List<String> lines = new ArrayList<>();
        for (String line : output.lines().map(this::of).toList()) {
            List<String> cells = List.of(line.split(" ", -1));
            if (cells.stream().anyMatch(COLUMNS::contains)) {
                header = cells;
            }
            if (!line.isEmpty() && !line.startsWith("at ")) {
                lines.add(cells.size() == header.size() && !cells.equals(header) ? row(header, cells) : line);
            }
        }
        return lines;
    }

    private static String row(List<String> header, List<String> cells) {
        StringJoiner row = new StringJoiner(" ");
        for (int i = 0; i < cells.size(); i++) {
            row.add(COLUMNS.contains(header.get(i)) ? header.get(i).toUpperCase(Locale.ROOT) : cells.get(i));
        }
        return row.toString();
    }

    String of(String text) {
        String masked = text.replace(broker.dataDirectory().toString(), "DATA").replace(directory, "FILES");
        for (Rule rule : RULES) {
            Matcher matcher = rule.pattern().matcher(masked);
            masked = matcher.replaceAll(rule.replacement());
        }
        return masked.strip();
    }
}
