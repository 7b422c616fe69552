package io.sluice.testkit.compat;

import io.sluice.testkit.compat.ToolStage.Printed;
import io.sluice.testkit.differential.Difference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a command printed on one broker and on the other. The order of lines is the tool's business, not the broker's. */
final class ToolComparison {
    /** What a line about an error begins with; the text behind it is the broker's own. */
    private static final Pattern ERROR =
            Pattern.compile("^(.*(?:Exception|Error): |(?i:error)[^:]*: |(?:Could|Can) not \\w+ \\S+ to \\d+\\. )");

    private ToolComparison() {}

    static List<Difference> of(Printed kafka, Printed candidate) {
        List<Difference> differences = new ArrayList<>();
        String command = kafka.command();
        if (kafka.exitStatus() != candidate.exitStatus()) {
            differences.add(new Difference(
                    command,
                    "exit status",
                    Integer.toString(kafka.exitStatus()),
                    Integer.toString(candidate.exitStatus())));
        }
        List<String> there = rest(kafka.lines(), candidate.lines());
        List<String> here = rest(candidate.lines(), kafka.lines());
        differences.addAll(errors(command, there, here));
        there.forEach(line -> differences.add(new Difference(command, line, "prints it", "does not")));
        here.forEach(line -> differences.add(new Difference(command, line, "does not", "prints it")));
        return differences;
    }

    /** The lines of the first that the second has not, or not as often. */
    private static List<String> rest(List<String> lines, List<String> others) {
        List<String> rest = new ArrayList<>(lines);
        others.forEach(rest::remove);
        return rest;
    }

    /** Takes out of both the lines that name the same error and describe it differently. */
    private static List<Difference> errors(String command, List<String> there, List<String> here) {
        List<Difference> differences = new ArrayList<>();
        for (Iterator<String> lines = there.iterator(); lines.hasNext(); ) {
            String line = lines.next();
            Matcher error = ERROR.matcher(line);
            String other = error.find()
                    ? here.stream()
                            .filter(each -> each.startsWith(error.group()))
                            .findFirst()
                            .orElse("")
                    : "";
            if (!other.isEmpty()) {
                lines.remove();
                here.remove(other);
                differences.add(
                        new Difference(command, "text behind " + error.group().strip(), line, other));
            }
        }
        return differences;
    }
}
