package io.sluice.testkit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Those of the foreign suites that take seconds, in every verify; the others need {@code -Pcompat}. */
class StockToolsTest {
    /** Its consumers take their time on both brokers. */
    private static final String SLOW = "share-groups";

    @Test
    void toolsPrintWhatTheyPrintOnKafka() throws Exception {
        StockToolsSuite suite = new StockToolsSuite();

        SuiteReport report = SuiteRun.compare(suite, test -> !test.equals(SLOW));

        assertThat(report.onlyOnKafka()).isEmpty();
        assertThat(suite.complaints()).isEmpty();
    }

    @Test
    void programsOfTheSystemTestsSucceed() throws Exception {
        assertThat(SuiteRun.tryCandidate(new KafkaProgramsSuite(), test -> true))
                .allSatisfy((test, outcome) -> assertThat(outcome).isEqualTo(SuiteOutcome.passed()));
    }
}
