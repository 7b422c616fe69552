package io.sluice.testkit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.process.Requirement;
import io.sluice.testkit.process.Settings;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Foreign suites on a real Kafka and on Sluice in one run: what passes on Kafka passes here. Writes a table into the build
 * directory. {@code -Dsluice.testkit.compat.tests=0011,0012} chooses among a suite's tests.
 */
@Tag("compat")
class CompatibilityTest {
    private static final int MOST_TRIES = 2;

    static Stream<ForeignSuite> suites() {
        return Stream.of(new LibrdkafkaSuite("classic"), new LibrdkafkaSuite("consumer"));
    }

    @ParameterizedTest
    @MethodSource("suites")
    void passesWhatKafkaPasses(ForeignSuite suite) throws Exception {
        Requirement.require(suite.title(), suite.missing());
        suite.prepare();
        List<String> tests =
                suite.tests().stream().filter(CompatibilityTest::isChosen).toList();
        assertThat(tests).isNotEmpty();
        Map<String, SuiteOutcome> kafka = run(suite, BrokerKind.KAFKA, tests);
        Map<String, SuiteOutcome> sluice = run(suite, BrokerKind.candidate(), tests);
        SuiteReport report = new SuiteReport(suite.title(), kafka, sluice);
        Files.writeString(
                Settings.target().resolve("compat-" + suite.title().replaceAll("[^A-Za-z0-9.]+", "-") + ".md"),
                report.text());
        System.out.println(report.text());
        assertThat(report.onlyOnKafka()).as("tests that pass on Kafka only").isEmpty();
    }

    private static boolean isChosen(String test) {
        String chosen = System.getProperty("sluice.testkit.compat.tests", "");
        return chosen.isEmpty() || List.of(chosen.split(",")).contains(test);
    }

    /** A test that fails is tried once more, on either broker: the suites have tests that depend on time. */
    private static Map<String, SuiteOutcome> run(ForeignSuite suite, BrokerKind kind, List<String> tests)
            throws Exception {
        Map<String, SuiteOutcome> outcomes = new LinkedHashMap<>();
        try (BrokerUnderTest broker =
                kind.start(Map.of("group.initial.rebalance.delay.ms", "0", "num.partitions", "4"))) {
            for (String test : tests) {
                SuiteOutcome outcome = suite.run(test, broker.bootstrapServers());
                for (int i = 1;
                        i < MOST_TRIES && !outcome.hasPassed() && outcome.kind() != SuiteOutcome.Kind.SKIPPED;
                        i++) {
                    outcome = suite.run(test, broker.bootstrapServers());
                }
                outcomes.put(test, outcome);
                System.out.println("compat: " + suite.title() + " on " + kind + ": " + test + " " + outcome.kind() + " "
                        + outcome.detail());
                assertThat(broker.alive()).as(kind + " runs after " + test).isTrue();
            }
        }
        return outcomes;
    }
}
