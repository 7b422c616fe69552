package io.sluice.testkit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.process.Requirement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Runs a suite on a real Kafka and then on the candidate. */
final class SuiteRun {
    private SuiteRun() {}

    /** Runs those of its tests that are chosen on both, and says what became of them; ends the suite. */
    static SuiteReport compare(ForeignSuite suite, Predicate<String> chosen) throws Exception {
        List<String> tests = prepare(suite, chosen);
        try (suite) {
            Map<String, SuiteOutcome> kafka = on(BrokerKind.KAFKA, suite, tests);
            Map<String, SuiteOutcome> sluice = on(BrokerKind.candidate(), suite, tests);
            SuiteReport report = new SuiteReport(suite.title(), kafka, sluice);
            System.out.println(report.text());
            return report;
        }
    }

    /** Runs those of its tests that are chosen on the candidate alone; ends the suite. */
    static Map<String, SuiteOutcome> tryCandidate(ForeignSuite suite, Predicate<String> chosen) throws Exception {
        List<String> tests = prepare(suite, chosen);
        try (suite) {
            return on(BrokerKind.candidate(), suite, tests);
        }
    }

    private static List<String> prepare(ForeignSuite suite, Predicate<String> chosen) throws Exception {
        Requirement.require(suite.title(), suite.missing());
        suite.prepare();
        List<String> tests = suite.tests().stream().filter(chosen).toList();
        assertThat(tests).isNotEmpty();
        return tests;
    }

    private static Map<String, SuiteOutcome> on(BrokerKind kind, ForeignSuite suite, List<String> tests)
            throws Exception {
        Map<String, SuiteOutcome> outcomes = new LinkedHashMap<>();
        try (BrokerUnderTest broker = kind.start(suite.brokerConfigs())) {
            for (String test : tests) {
                long startNanos = SystemClock.INSTANCE.nanoTime();
                SuiteOutcome outcome = suite.run(test, broker);
                for (int i = 1; i < suite.tries() && outcome.hasFailed(); i++) {
                    outcome = suite.run(test, broker);
                }
                outcomes.put(test, outcome);
                long millis = (SystemClock.INSTANCE.nanoTime() - startNanos) / 1_000_000;
                System.out.println("compat: " + suite.title() + " on " + kind + ": " + test + " " + outcome.kind()
                        + " in " + millis + " ms " + outcome.detail());
                assertThat(broker.alive()).as(kind + " runs after " + test).isTrue();
            }
        }
        return outcomes;
    }
}
