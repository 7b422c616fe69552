package io.sluice.testkit.compat;

import io.sluice.testkit.compat.SuiteOutcome.Kind;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** One suite on Kafka and on Sluice, side by side. */
record SuiteReport(String title, Map<String, SuiteOutcome> kafka, Map<String, SuiteOutcome> sluice) {
    /** Tests that pass on Kafka and not on Sluice. */
    List<String> onlyOnKafka() {
        return kafka.keySet().stream()
                .filter(test -> of(kafka, test).hasPassed() && !of(sluice, test).hasPassed())
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

    /** A table for docs/compatibility.md, and the tests whose outcome differs or that fail. */
    String text() {
        StringBuilder text = new StringBuilder(
                "| " + title + " | passed | failed | skipped | timed out |\n" + "| --- | --- | --- | --- | --- |\n");
        row(text, "Kafka", kafka);
        row(text, "Sluice", sluice);
        text.append('\n');
        for (String test : kafka.keySet()) {
            SuiteOutcome there = of(kafka, test);
            SuiteOutcome here = of(sluice, test);
            if (there.kind() != here.kind() || here.kind() == Kind.FAILED || here.kind() == Kind.TIMED_OUT) {
                text.append("- ")
                        .append(test)
                        .append(": Kafka ")
                        .append(said(there))
                        .append(", Sluice ")
                        .append(said(here))
                        .append('\n');
            }
        }
        return text.toString();
    }

    private static void row(StringBuilder text, String broker, Map<String, SuiteOutcome> outcomes) {
        text.append("| ").append(broker);
        for (Kind kind : List.of(Kind.PASSED, Kind.FAILED, Kind.SKIPPED, Kind.TIMED_OUT)) {
            text.append(" | ").append(count(outcomes, kind));
        }
        text.append(" |\n");
    }

    private static String said(SuiteOutcome outcome) {
        return outcome.kind() + (outcome.detail().isEmpty() ? "" : " (" + outcome.detail() + ")");
    }
}
