package io.sluice.base.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class MetricsTest {
    private final Metrics metrics = new Metrics();

    @Test
    void showsNanosecondsAsSeconds() throws IOException {
        metrics.histogram(Metric.JOURNAL_FLUSH_SECONDS).observe(150_000);
        assertThat(text())
                .contains("sluice_journal_flush_seconds_count 1")
                .contains("sluice_journal_flush_seconds_sum 1.5E-4")
                .contains("sluice_journal_flush_seconds_bucket{le=\"1.0E-4\"} 0")
                .contains("sluice_journal_flush_seconds_bucket{le=\"2.0E-4\"} 1");
    }

    @Test
    void showsWhatSomebodyElseCountsAsACounter() throws IOException {
        metrics.total(Metric.JVM_GC_COLLECTIONS, () -> 7);
        metrics.total(Metric.PROCESS_CPU_SECONDS, () -> -1);
        assertThat(text())
                .contains("# TYPE sluice_jvm_gc_collections_total counter")
                .contains("sluice_jvm_gc_collections_total 7.0")
                .contains("sluice_process_cpu_seconds_total 0.0");
        assertThatThrownBy(() -> metrics.total(Metric.JVM_THREADS, () -> 1)).hasMessageContaining("not a COUNTER");
    }

    @Test
    void refusesTheWrongKindAndTheWrongLabels() {
        assertThatThrownBy(() -> metrics.counter(Metric.JOURNAL_FLUSH_SECONDS)).hasMessageContaining("not a COUNTER");
        assertThatThrownBy(() -> metrics.histogram(Metric.JOURNAL_FLUSH_SECONDS, "x"))
                .hasMessageContaining("labels");
    }

    @Test
    void namesFollowTheRuleAndHelpIsASentence() {
        assertThat(Metric.values()).allSatisfy(metric -> {
            assertThat(metric.metricName()).matches("sluice(_[a-z0-9]+){2,}").doesNotEndWith("_total");
            assertThat(metric.help()).endsWith(".");
        });
        assertThat(Arrays.stream(Metric.values()).map(Metric::metricName)).doesNotHaveDuplicates();
    }

    @Test
    void showsSeriesThatOthersNamed() throws IOException {
        List<ForeignSeries> series = List.of(
                new ForeignSeries("sent_total", true, List.of("c"), List.of("1"), 3),
                new ForeignSeries("sent_total", true, List.of("c", "d"), List.of("1", "x\"\n"), 4),
                new ForeignSeries("depth", false, List.of("c"), List.of("1"), -1.5),
                new ForeignSeries("depth", false, List.of("c"), List.of("1"), -2.5));
        metrics.foreign("sluice_foreign_", "Of others.", () -> series);
        assertThat(text())
                .contains("# HELP sluice_foreign_sent_total Of others.")
                .contains("# TYPE sluice_foreign_sent_total counter")
                .contains("sluice_foreign_sent_total{c=\"1\"} 3.0")
                .contains("sluice_foreign_sent_total{c=\"1\",d=\"x\\\"\\n\"} 4.0")
                .contains("# TYPE sluice_foreign_depth gauge")
                .contains("sluice_foreign_depth{c=\"1\"} -2.5")
                .doesNotContain("-1.5");
    }

    @Test
    void oneNameOfTwoKindsIsShownAsGaugesWhateverOthersCallIt() throws IOException {
        List<String> names = List.of("x", "x_total", "x_total_total", "x_created", "x_bucket", "x_info", "x_sum", "9");
        List<ForeignSeries> series = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            series.add(new ForeignSeries(names.get(i), i % 2 == 0, List.of("c"), List.of("" + i), i));
        }
        metrics.foreign("sluice_foreign_", "Of others.", () -> series);
        List<String> types = text().lines()
                .filter(line -> line.startsWith("# TYPE sluice_foreign_"))
                .toList();
        assertThat(types).contains("# TYPE sluice_foreign_x gauge");
        assertThat(types.stream().map(line -> line.split(" ", -1)[2])).doesNotHaveDuplicates();
        assertThat(text().lines().filter(line -> line.startsWith("sluice_foreign_")))
                .hasSameSizeAs(names);
    }

    @Test
    void othersCannotTakeOurNames() {
        assertThatThrownBy(() -> metrics.foreign("sluice_jvm_", "Of others.", List::of))
                .hasMessageContaining("sluice_jvm_");
    }

    private String text() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        metrics.writeText(out);
        return out.toString(StandardCharsets.UTF_8);
    }
}
