package io.sluice.cli.output;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Rows under headings. On a terminal: aligned columns, numbers to the right. Elsewhere: one line a row, fields separated by
 * a tab, no headings.
 */
public final class TextTable {
    private static final String GAP = "  ";
    private static final String BOLD = "\u001b[1m";
    private static final String PLAIN = "\u001b[0m";

    private final List<String> headings;
    private final List<List<String>> rows = new ArrayList<>();

    /** A table without rows. */
    public TextTable(String... headings) {
        this.headings = List.of(headings);
    }

    /** Adds a row; null shows as a dash. */
    public TextTable row(@Nullable Object... cells) {
        if (cells.length != headings.size()) {
            throw new IllegalArgumentException("the table has the columns " + headings);
        }
        rows.add(Arrays.stream(cells).map(TextTable::text).toList());
        return this;
    }

    /** Prints it. */
    public void print(Console console) {
        if (!console.outIsTerminal()) {
            rows.forEach(row -> console.out().println(String.join("\t", row)));
            return;
        }
        int[] widths = widths();
        String heading = line(headings, widths);
        console.out().println(console.outHasColours() ? BOLD + heading + PLAIN : heading);
        rows.forEach(row -> console.out().println(line(row, widths)));
    }

    private int[] widths() {
        int[] widths = headings.stream().mapToInt(String::length).toArray();
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        return widths;
    }

    private String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String padding = " ".repeat(widths[column] - cells.get(column).length());
            line.append(column == 0 ? "" : GAP);
            line.append(isNumeric(column) ? padding + cells.get(column) : cells.get(column) + padding);
        }
        return line.toString().stripTrailing();
    }

    private boolean isNumeric(int column) {
        return !rows.isEmpty() && rows.stream().map(row -> row.get(column)).allMatch(cell -> cell.matches("-?\\d*"));
    }

    private static String text(@Nullable Object cell) {
        return cell == null ? "-" : Objects.toString(cell).replaceAll("[\\t\\r\\n]", " ");
    }
}
