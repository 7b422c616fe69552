package io.sluice.testkit.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.process.Settings;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Sends the same requests to a real Kafka and to the candidate and compares the answers field by field. Every difference is
 * mended or stands in docs/compatibility.md with its reason. With {@code -Dsluice.testkit.candidate=kafka} two Kafkas are
 * compared: then nothing may differ. {@code -Dsluice.testkit.cases=TEXT} runs only cases whose id contains the text.
 */
@Tag("differential")
class DifferentialTest {
    /** New groups wait for no further members. */
    static final Map<String, String> WITHOUT_DELAY =
            Map.of("group.initial.rebalance.delay.ms", "0", "group.streams.initial.rebalance.delay.ms", "0");

    private static final int PROGRESS_EVERY = 100;

    @Test
    void answersAsKafkaDoes() throws Exception {
        List<Case> cases = chosen();
        try (BrokerUnderTest kafka = BrokerKind.KAFKA.start(Map.of());
                BrokerUnderTest candidate = BrokerKind.candidate().start(WITHOUT_DELAY)) {
            Coverage coverage = new Coverage();
            Report report = run(cases, kafka, candidate, coverage);
            Files.writeString(Settings.target().resolve("differential.md"), report.summary() + report.details());
            System.out.println(report.summary());
            assertThat(report.brokenCases())
                    .as("cases that fail on the reference")
                    .isEmpty();
            assertThat(report.unexplained())
                    .as("differences that docs/compatibility.md does not explain")
                    .isEmpty();
            if (candidate.kind() == BrokerKind.SLUICE && part().isEmpty()) {
                assertThat(report.outOfDate())
                        .as("rows of docs/compatibility.md that no case shows any more")
                        .isEmpty();
                assertThat(coverage.gaps(Side.of(candidate, 0), AllCases.list(), DifferentialTest::isChosen))
                        .as("what is advertised and not compared")
                        .isEmpty();
            }
            assertThat(candidate.alive()).as("the candidate still runs").isTrue();
        }
    }

    private static Report run(List<Case> cases, BrokerUnderTest kafka, BrokerUnderTest candidate, Coverage coverage)
            throws Exception {
        Report report = new Report(AcceptedDifferences.read(
                Settings.root().resolve("docs").resolve("compatibility.md"), "accepted differences"));
        long now = SystemClock.INSTANCE.epochMillis();
        int done = 0;
        try (Runner runner = new Runner(Side.of(kafka, now), Side.of(candidate, now), coverage)) {
            for (Case each : cases) {
                long startNanos = SystemClock.INSTANCE.nanoTime();
                try {
                    report.onCase(each, runner.run(each));
                } catch (IllegalStateException e) {
                    report.onBrokenCase(each, e);
                }
                report.onDuration(each, SystemClock.INSTANCE.nanoTime() - startNanos);
                if (++done % PROGRESS_EVERY == 0) {
                    System.out.println("differential: " + done + " of " + cases.size() + " cases, "
                            + report.unexplained().size() + " differences so far");
                }
            }
        }
        return report;
    }

    private static String part() {
        return System.getProperty("sluice.testkit.cases", "");
    }

    private static List<Case> chosen() {
        return AllCases.list().stream().filter(DifferentialTest::isChosen).collect(Collectors.toList());
    }

    private static boolean isChosen(Case each) {
        boolean everyVersion = Settings.amount("sluice.testkit.everyVersion", 0, 1) == 1 || !part().isEmpty();
        boolean meant =
                Arrays.stream(part().split(",")).anyMatch(part -> each.id().contains(part.strip()));
        return meant && (everyVersion || isAtAnEdge(each));
    }

    /** In every verify: the oldest and the newest version, and the first that is encoded the newer way. */
    private static boolean isAtAnEdge(Case each) {
        short version = each.version();
        boolean firstFlexible = version > each.api().oldestVersion()
                && each.api().requestHeaderVersion(version) != each.api().requestHeaderVersion((short) (version - 1));
        return version == each.api().oldestVersion() || version == each.api().latestVersion(false) || firstFlexible;
    }
}
