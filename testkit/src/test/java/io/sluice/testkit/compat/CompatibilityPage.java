package io.sluice.testkit.compat;

import java.time.LocalDate;
import java.util.Map;
import java.util.TreeMap;

/** The section of docs/compatibility.md about foreign suites, between two marker comments; one part for each suite. */
final class CompatibilityPage {
    private static final String BEGIN = "<!-- foreign suites -->";
    private static final String END = "<!-- end of foreign suites -->";
    private static final String HEADING = "### ";

    private CompatibilityPage() {}

    /** The page with the part of one suite written again; the others' stay as they are. */
    static String with(String page, SuiteReport report, LocalDate day) {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("The page has no section between " + BEGIN + " and " + END);
        }
        Map<String, String> parts = parts(page.substring(begin + BEGIN.length(), end));
        parts.put(report.title(), "On " + day + ".\n\n" + report.text().strip());
        StringBuilder section = new StringBuilder();
        parts.forEach((title, text) -> section.append(HEADING)
                .append(title)
                .append("\n\n")
                .append(text)
                .append("\n\n"));
        return page.substring(0, begin + BEGIN.length()) + "\n\n" + section + page.substring(end);
    }

    private static Map<String, String> parts(String section) {
        Map<String, String> parts = new TreeMap<>();
        for (String part : section.split("(?m)^" + HEADING, -1)) {
            int line = part.indexOf('\n');
            if (line > 0 && !part.isBlank()) {
                parts.put(part.substring(0, line), part.substring(line).strip());
            }
        }
        return parts;
    }
}
