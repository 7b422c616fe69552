package io.sluice.base.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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

    private String text() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        metrics.writeText(out);
        return out.toString(StandardCharsets.UTF_8);
    }
}
