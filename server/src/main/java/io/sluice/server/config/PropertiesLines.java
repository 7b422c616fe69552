package io.sluice.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The lines of a properties file as {@link java.util.Properties#load(java.io.Reader)} describes them. */
final class PropertiesLines {
    private static final Pattern COMMENT = Pattern.compile("[ \\t\\f]*[#!].*");

    private PropertiesLines() {}

    /**
     * One setting, a comment or nothing.
     *
     * @param number of the line it begins in, from 1
     */
    record Line(int number, String text) {}

    /** Each with the lines that it goes on in, which follow a backslash at the end; comment lines as they are. */
    static List<Line> of(String text) {
        List<Line> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int number = 0;
        int first = 1;
        for (String next : text.lines().toList()) {
            number++;
            boolean comment = line.isEmpty() && COMMENT.matcher(next).matches();
            line.append(next).append('\n');
            if (comment || !goesOn(next)) {
                lines.add(new Line(first, line.toString()));
                line.setLength(0);
                first = number + 1;
            }
        }
        lines.add(new Line(first, line.toString()));
        return lines;
    }

    /** A backslash behind a backslash stands for itself. */
    private static boolean goesOn(String line) {
        int backslashes = 0;
        while (backslashes < line.length() && line.charAt(line.length() - 1 - backslashes) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }
}
