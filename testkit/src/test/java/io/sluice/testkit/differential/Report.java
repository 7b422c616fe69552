package io.sluice.testkit.differential;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Counts cases by API and version, and keeps what differs without being accepted. */
final class Report {
    private static final long SLOW_NANOS = 2_000_000_000;

    private final AcceptedDifferences accepted;
    private final Map<ApiVersion, Counts> counts =
            new TreeMap<>(Comparator.comparing(ApiVersion::api).thenComparing(ApiVersion::version));
    private final List<Difference> unexplained = new ArrayList<>();
    private final List<String> brokenCases = new ArrayList<>();
    private final List<String> slow = new ArrayList<>();
    private final Set<String> caseIds = new HashSet<>();

    Report(AcceptedDifferences accepted) {
        this.accepted = accepted;
    }

    private record ApiVersion(String api, short version) {}

    private static final class Counts {
        private int cases;
        private int equal;
        private int onlyAccepted;
        private int different;
    }

    void onCase(Case testCase, List<Difference> differences) {
        caseIds.add(testCase.id());
        Counts of =
                counts.computeIfAbsent(new ApiVersion(testCase.api().name, testCase.version()), unused -> new Counts());
        of.cases++;
        List<Difference> open = differences.stream()
                .filter(difference -> accepted.accepting(difference).isEmpty())
                .toList();
        unexplained.addAll(open);
        if (differences.isEmpty()) {
            of.equal++;
        } else if (open.isEmpty()) {
            of.onlyAccepted++;
        } else {
            of.different++;
        }
    }

    void onBrokenCase(Case testCase, IllegalStateException failure) {
        caseIds.add(testCase.id());
        brokenCases.add(String.valueOf(failure.getMessage()));
    }

    void onDuration(Case testCase, long nanos) {
        if (nanos > SLOW_NANOS) {
            slow.add(testCase.id() + " took " + nanos / 1_000_000 + " ms");
        }
    }

    List<Difference> unexplained() {
        return List.copyOf(unexplained);
    }

    List<String> brokenCases() {
        return List.copyOf(brokenCases);
    }

    List<AcceptedDifferences.Row> outOfDate() {
        return accepted.outOfDate(caseIds);
    }

    /** API by version as a table in Markdown. */
    String summary() {
        StringBuilder text = new StringBuilder(
                "| API | version | cases | equal | accepted | different |\n|---|---|---|---|---|---|\n");
        Counts total = new Counts();
        counts.forEach((key, of) -> {
            text.append(row(key.api(), "v" + key.version(), of));
            total.cases += of.cases;
            total.equal += of.equal;
            total.onlyAccepted += of.onlyAccepted;
            total.different += of.different;
        });
        return text.append(row("all", "", total)).toString();
    }

    /** Every open difference, broken case and row out of date, as lists in Markdown. */
    String details() {
        StringBuilder text = new StringBuilder("\n");
        unexplained.forEach(each -> text.append("- ").append(each).append('\n'));
        brokenCases.forEach(each -> text.append("- broken: ").append(each).append('\n'));
        slow.forEach(each -> text.append("- slow: ").append(each).append('\n'));
        outOfDate().forEach(each -> text.append("- out of date: ").append(each).append('\n'));
        return text.toString();
    }

    private static String row(String api, String version, Counts of) {
        return "| " + api + " | " + version + " | " + of.cases + " | " + of.equal + " | " + of.onlyAccepted + " | "
                + of.different + " |\n";
    }
}
