package io.sluice.testkit.compat;

import io.sluice.testkit.compat.SuiteOutcome.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** One suite on Kafka and on Sluice, side by side. */
record SuiteReport(String title, Map<String, SuiteOutcome> kafka, Map<String, SuiteOutcome> sluice) {
    private static final List<Kind> COLUMNS = List.of(Kind.PASSED, Kind.FAILED, Kind.SKIPPED, Kind.TIMED_OUT);

    /** Tests that pass on Kafka and not on Sluice. */
    List<String> onlyOnKafka() {
        return kafka.keySet().stream()
                .filter(test -> of(kafka, test).hasPassed() && !of(sluice, test).hasPassed())
                .map(test -> test + ": " + of(sluice, test).detail())
                .toList();
    }

    private static SuiteOutcome of(Map<String, SuiteOutcome> outcomes, String test) {
        return Objects.requireNonNull(outcomes.get(test), test);
    }

    private static long count(Map<String, SuiteOutcome> outcomes, Kind kind) {
        return outcomes.values().stream()
                .filter(outcome -> outcome.kind() == kind)
                .count();
    }

    /** A table for docs/compatibility.md, and the tests that do not pass on both, those with the same reason in one line. */
    String text() {
        StringBuilder text = new StringBuilder(
                "| broker | passed | failed | skipped | timed out |\n| --- | --- | --- | --- | --- |\n");
        row(text, "Kafka " + KafkaJvm.VERSION, kafka);
        row(text, "Sluice", sluice);
        text.append('\n');
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        for (String test : kafka.keySet()) {
            SuiteOutcome there = of(kafka, test);
            SuiteOutcome here = of(sluice, test);
            if (!there.hasPassed() || !here.hasPassed()) {
                byReason.computeIfAbsent(said(there, here), unused -> new ArrayList<>())
                        .add(test);
            }
        }
        byReason.forEach((reason, tests) -> text.append("- ")
                .append(String.join(", ", tests))
                .append(": ")
                .append(reason)
                .append('\n'));
        return text.toString();
    }

    private static void row(StringBuilder text, String broker, Map<String, SuiteOutcome> outcomes) {
        text.append("| ").append(broker);
        for (Kind kind : COLUMNS) {
            text.append(" | ").append(count(outcomes, kind));
        }
        text.append(" |\n");
    }

    private static String said(SuiteOutcome there, SuiteOutcome here) {
        return there.kind() == here.kind()
                ? said(here, "skipped on both", "fails on both", "times out on both")
                : "Kafka " + said(there, "skips", "fails", "times out") + ", Sluice "
                        + said(here, "skips", "fails", "times out");
    }

    private static String said(SuiteOutcome outcome, String skipped, String failed, String timedOut) {
        String word = switch (outcome.kind()) {
            case PASSED -> "passes";
            case SKIPPED -> skipped;
            case FAILED -> failed;
            case TIMED_OUT -> timedOut;
        };
        return word + (outcome.detail().isEmpty() ? "" : " (" + outcome.detail() + ")");
    }
}
