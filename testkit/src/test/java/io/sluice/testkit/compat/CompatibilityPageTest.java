package io.sluice.testkit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CompatibilityPageTest {
    private static final LocalDate DAY = LocalDate.of(2026, 1, 2);
    private static final String EMPTY = "before\n<!-- foreign suites -->\n<!-- end of foreign suites -->\nafter\n";

    @Test
    void writesAPartForEachSuiteAndWritesItAgain() {
        String first = CompatibilityPage.with(EMPTY, report("b 1", SuiteOutcome.passed()), DAY);
        String both = CompatibilityPage.with(first, report("a 2", SuiteOutcome.failed("line 7")), DAY);

        String again = CompatibilityPage.with(both, report("b 1", SuiteOutcome.failed("line 8")), DAY.plusDays(1));

        assertThat(again)
                .startsWith("before\n<!-- foreign suites -->\n\n### a 2\n\nOn 2026-01-02.\n\n| broker |")
                .contains("- t: Kafka passes, Sluice fails (line 7)\n\n### b 1\n\nOn 2026-01-03.\n")
                .endsWith("- t: Kafka passes, Sluice fails (line 8)\n\n<!-- end of foreign suites -->\nafter\n");
    }

    @Test
    void namesEveryTestThatDoesNotPassAndGroupsThoseOfOneReason() {
        SuiteOutcome skipped = new SuiteOutcome(SuiteOutcome.Kind.SKIPPED, "needs two nodes");
        Map<String, SuiteOutcome> outcomes = new java.util.LinkedHashMap<>();
        outcomes.put("1", skipped);
        outcomes.put("2", SuiteOutcome.passed());
        outcomes.put("3", skipped);

        String text = new SuiteReport("suite", outcomes, outcomes).text();

        assertThat(text)
                .contains("| Sluice | 1 | 0 | 2 | 0 |")
                .endsWith("\n- 1, 3: skipped on both (needs two nodes)\n");
    }

    private static SuiteReport report(String title, SuiteOutcome sluice) {
        return new SuiteReport(title, Map.of("t", SuiteOutcome.passed()), Map.of("t", sluice));
    }
}
