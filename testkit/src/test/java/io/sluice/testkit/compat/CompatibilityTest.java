package io.sluice.testkit.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.process.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Foreign suites on a real Kafka and on Sluice in one run: what passes on Kafka passes here. Writes a table into the build
 * directory; with {@code -Dsluice.docs.write=true} also into docs/compatibility.md. {@code -Dsluice.testkit.compat.suites=streams}
 * chooses suites by a part of their titles, {@code -Dsluice.testkit.compat.tests=0011,0012} among a suite's tests.
 */
@Tag("compat")
class CompatibilityTest {
    private static final boolean WRITE = Boolean.getBoolean("sluice.docs.write");
    private static final String SUITES = System.getProperty("sluice.testkit.compat.suites", "");
    private static final String TESTS = System.getProperty("sluice.testkit.compat.tests", "");

    static Stream<ForeignSuite> suites() {
        return Stream.of(
                        new StockToolsSuite(),
                        new KafkaProgramsSuite(),
                        new StreamsSuite("classic"),
                        new StreamsSuite("streams"),
                        new LibrdkafkaSuite("classic"),
                        new LibrdkafkaSuite("consumer"))
                .filter(suite -> suite.title().contains(SUITES));
    }

    @ParameterizedTest
    @MethodSource("suites")
    void passesWhatKafkaPasses(ForeignSuite suite) throws Exception {
        SuiteReport report = SuiteRun.compare(
                suite, test -> TESTS.isEmpty() || List.of(TESTS.split(",")).contains(test));
        Files.writeString(
                Settings.target().resolve("compat-" + suite.title().replaceAll("[^A-Za-z0-9.]+", "-") + ".md"),
                report.text());
        if (WRITE && TESTS.isEmpty()) {
            writePage(report);
        }
        assertThat(report.onlyOnKafka()).as("tests that pass on Kafka only").isEmpty();
        assertThat(TESTS.isEmpty() ? suite.complaints() : List.of()).isEmpty();
    }

    private static void writePage(SuiteReport report) throws Exception {
        Path page = Settings.root().resolve("docs/compatibility.md");
        LocalDate today = LocalDate.ofInstant(Instant.ofEpochMilli(SystemClock.INSTANCE.epochMillis()), ZoneOffset.UTC);
        Files.writeString(page, CompatibilityPage.with(Files.readString(page), report, today));
    }
}
