package io.sluice.base.metric;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.PrometheusNaming;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Shows series that others named beside our own. Those of one name become one family: of counters if all of them are, else
 * of gauges, since Prometheus knows one kind for each name. Of two with the same labels the later one is shown.
 */
final class ForeignCollector implements MultiCollector {
    private static final String TOTAL = "_total";

    private final String prefix;
    private final String help;
    private final Supplier<? extends Collection<ForeignSeries>> series;

    ForeignCollector(String prefix, String help, Supplier<? extends Collection<ForeignSeries>> series) {
        this.prefix = prefix;
        this.help = help;
        this.series = series;
    }

    @Override
    public MetricSnapshots collect() {
        Map<String, Family> families = new TreeMap<>();
        for (ForeignSeries each : series.get()) {
            families.computeIfAbsent(familyName(each.name()), name -> new Family())
                    .add(each);
        }
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        families.forEach((name, family) -> all.metricSnapshot(family.snapshot(name, help)));
        return all.build();
    }

    /** Prometheus puts {@code _total} behind a counter's name itself. */
    private String familyName(String name) {
        String bare = name;
        while (bare.endsWith(TOTAL)) {
            bare = bare.substring(0, bare.length() - TOTAL.length());
        }
        return PrometheusNaming.sanitizeMetricName(prefix + bare);
    }

    private static final class Family {
        private final Map<Labels, Double> values = new TreeMap<>();
        private boolean counters = true;

        void add(ForeignSeries series) {
            counters &= series.counter();
            values.put(Labels.of(series.labelNames(), series.labelValues()), series.value());
        }

        MetricSnapshot snapshot(String name, String help) {
            return counters ? counter(name, help) : gauge(name, help);
        }

        private MetricSnapshot counter(String name, String help) {
            CounterSnapshot.Builder family =
                    CounterSnapshot.builder().name(name).help(help);
            values.forEach((labels, value) -> family.dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder()
                    .labels(labels)
                    .value(value)
                    .build()));
            return family.build();
        }

        private MetricSnapshot gauge(String name, String help) {
            GaugeSnapshot.Builder family = GaugeSnapshot.builder().name(name).help(help);
            values.forEach((labels, value) -> family.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                    .labels(labels)
                    .value(value)
                    .build()));
            return family.build();
        }
    }
}
