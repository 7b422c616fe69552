package io.sluice.testkit.differential;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A table of docs/compatibility.md between two marker comments: what differs from Kafka on purpose. A row whose
 * cases were run and that matched nothing is out of date.
 */
public final class AcceptedDifferences {
    private static final int COLUMNS = 5;

    private final List<Row> rows;
    private final Set<Row> matched = new HashSet<>();

    private AcceptedDifferences(List<Row> rows) {
        this.rows = rows;
    }

    /**
     * A row: which cases and fields ({@code *} stands for anything), what either answers, and why.
     *
     * @param caseGlob matches {@link Case#id}
     * @param fieldGlob matches {@link Difference#field}
     */
    public record Row(String caseGlob, String fieldGlob, String kafka, String sluice, String reason) {
        boolean covers(Difference difference) {
            return concerns(difference.caseId())
                    && glob(fieldGlob).matcher(difference.field()).matches();
        }

        boolean concerns(String caseId) {
            return glob(caseGlob).matcher(caseId).matches();
        }

        private static Pattern glob(String text) {
            StringBuilder pattern = new StringBuilder();
            for (String part : text.split("\\*", -1)) {
                pattern.append(pattern.isEmpty() ? "" : ".*").append(Pattern.quote(part));
            }
            return Pattern.compile(pattern.toString(), Pattern.DOTALL);
        }
    }

    /**
     * Reads one.
     *
     * @param name in its marker comments
     */
    public static AcceptedDifferences read(Path document, String name) throws IOException {
        String beginMarker = "<!-- " + name + " -->";
        String endMarker = "<!-- end of " + name + " -->";
        String text = Files.readString(document);
        int begin = text.indexOf(beginMarker);
        int end = text.indexOf(endMarker);
        if (begin < 0 || end < begin) {
            throw new IOException(document + " has no table between " + beginMarker + " and " + endMarker);
        }
        List<Row> rows = new ArrayList<>();
        for (String line :
                text.substring(begin + beginMarker.length(), end).lines().toList()) {
            if (line.startsWith("| `")) {
                rows.add(row(line));
            }
        }
        return new AcceptedDifferences(rows);
    }

    /** The row that accepts a difference. */
    public Optional<Row> accepting(Difference difference) {
        Optional<Row> row =
                rows.stream().filter(each -> each.covers(difference)).findFirst();
        row.ifPresent(matched::add);
        return row;
    }

    /** Rows that concern cases that were run but accepted nothing. */
    public List<Row> outOfDate(Set<String> caseIdsRun) {
        return rows.stream()
                .filter(row -> !matched.contains(row))
                .filter(row -> caseIdsRun.stream().anyMatch(row::concerns))
                .toList();
    }

    private static Row row(String line) {
        String[] cells = line.strip().replaceAll("^\\||\\|$", "").split("(?<!\\\\)\\|", -1);
        if (cells.length != COLUMNS) {
            throw new IllegalArgumentException("Not " + COLUMNS + " columns: " + line);
        }
        return new Row(unquoted(cells[0]), unquoted(cells[1]), cells[2].strip(), cells[3].strip(), cells[4].strip());
    }

    private static String unquoted(String cell) {
        return cell.strip().replace("`", "").replace("\\|", "|");
    }
}
