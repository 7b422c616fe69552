package io.sluice.base.metric;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * The one facade over the metrics library. Look a series up once, keep the handle, and use that on the hot path. Safe on
 * every thread.
 */
public final class Metrics {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double[] SECONDS_BUCKETS = {
        50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60
    };
    private static final double[] BYTES_BUCKETS = {
        256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20
    };

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Map<Metric, Map<List<String>, LongAdder>> counters = new EnumMap<>(Metric.class);
    private final Map<Metric, DoubleSupplier> totals = new ConcurrentHashMap<>();
    private final Map<Metric, Map<List<String>, DoubleSupplier>> gauges = new EnumMap<>(Metric.class);
    private final Map<Metric, io.prometheus.metrics.core.metrics.Histogram> histograms = new EnumMap<>(Metric.class);

    /** A registry holding every metric of the catalogue. */
    public Metrics() {
        for (Metric metric : Metric.values()) {
            switch (metric.kind()) {
                case COUNTER -> registerCounter(metric);
                case GAUGE -> registerGauge(metric);
                case HISTOGRAM_SECONDS -> registerHistogram(metric, SECONDS_BUCKETS);
                case HISTOGRAM_BYTES -> registerHistogram(metric, BYTES_BUCKETS);
            }
        }
    }

    /** The counter with these label values, made if need be. Call {@code add} or {@code increment} on it. */
    public LongAdder counter(Metric metric, String... labelValues) {
        requireKind(metric, Metric.Kind.COUNTER);
        return series(counters, metric).computeIfAbsent(labels(metric, labelValues), values -> new LongAdder());
    }

    /**
     * Sets where a counter without labels reads its value, which somebody else counts: it only grows.
     *
     * @param value the total since the start
     */
    public void total(Metric metric, DoubleSupplier value) {
        requireKind(metric, Metric.Kind.COUNTER);
        labels(metric);
        totals.put(metric, value);
    }

    /** Sets where a gauge reads its value. */
    public void gauge(Metric metric, DoubleSupplier value, String... labelValues) {
        requireKind(metric, Metric.Kind.GAUGE);
        series(gauges, metric).put(labels(metric, labelValues), value);
    }

    /** The histogram with these label values. */
    public Histogram histogram(Metric metric, String... labelValues) {
        boolean seconds = metric.kind() == Metric.Kind.HISTOGRAM_SECONDS;
        if (!seconds) {
            requireKind(metric, Metric.Kind.HISTOGRAM_BYTES);
        }
        labels(metric, labelValues);
        var dataPoint = requireRegistered(histograms, metric).labelValues(labelValues);
        return seconds
                ? nanos -> dataPoint.observe(nanos / NANOS_PER_SECOND)
                : bytes -> dataPoint.observe((double) bytes);
    }

    /**
     * Shows series that are not of the catalogue, because somebody else named them.
     *
     * @param prefix put before their names; no name of the catalogue may begin with it
     * @param help one sentence for all of them
     * @param series asked each time somebody looks
     */
    public void foreign(String prefix, String help, Supplier<? extends Collection<ForeignSeries>> series) {
        for (Metric metric : Metric.values()) {
            if (metric.metricName().startsWith(prefix)) {
                throw new IllegalArgumentException(metric + " begins with " + prefix);
            }
        }
        registry.register(new ForeignCollector(prefix, help, series));
    }

    /** Forgets the series with these label values, when the thing they name is gone. */
    public void remove(Metric metric, String... labelValues) {
        List<String> values = labels(metric, labelValues);
        switch (metric.kind()) {
            case COUNTER -> series(counters, metric).remove(values);
            case GAUGE -> series(gauges, metric).remove(values);
            case HISTOGRAM_SECONDS, HISTOGRAM_BYTES ->
                requireRegistered(histograms, metric).remove(labelValues);
        }
    }

    /** Writes all series in Prometheus' text format 0.0.4. */
    public void writeText(OutputStream out) throws IOException {
        PrometheusTextFormatWriter.create().write(out, registry.scrape());
    }

    /** Takes observations: nanoseconds for a histogram of seconds, bytes for one of bytes. */
    @FunctionalInterface
    public interface Histogram {
        /** Adds one observation. */
        void observe(long value);
    }

    private void registerCounter(Metric metric) {
        Map<List<String>, LongAdder> series = new ConcurrentHashMap<>();
        counters.put(metric, series);
        CounterWithCallback.builder()
                .name(metric.metricName())
                .help(metric.help())
                .labelNames(metric.labels().toArray(String[]::new))
                .callback(sink -> {
                    series.forEach((values, adder) -> sink.call((double) adder.sum(), values.toArray(String[]::new)));
                    DoubleSupplier total = totals.get(metric);
                    if (total != null) {
                        // Where the system does not tell it is -1 or no number, which no counter can be.
                        double value = total.getAsDouble();
                        sink.call(value >= 0 ? value : 0);
                    }
                })
                .register(registry);
    }

    private void registerGauge(Metric metric) {
        Map<List<String>, DoubleSupplier> series = new ConcurrentHashMap<>();
        gauges.put(metric, series);
        GaugeWithCallback.builder()
                .name(metric.metricName())
                .help(metric.help())
                .labelNames(metric.labels().toArray(String[]::new))
                .callback(sink -> series.forEach(
                        (values, value) -> sink.call(value.getAsDouble(), values.toArray(String[]::new))))
                .register(registry);
    }

    private void registerHistogram(Metric metric, double[] buckets) {
        histograms.put(
                metric,
                io.prometheus.metrics.core.metrics.Histogram.builder()
                        .name(metric.metricName())
                        .help(metric.help())
                        .labelNames(metric.labels().toArray(String[]::new))
                        .classicOnly()
                        .classicUpperBounds(buckets)
                        .register(registry));
    }

    private static <T> T requireRegistered(Map<Metric, T> all, Metric metric) {
        T found = all.get(metric);
        if (found == null) {
            throw new IllegalArgumentException(metric + " is a " + metric.kind());
        }
        return found;
    }

    private static <T> Map<List<String>, T> series(Map<Metric, Map<List<String>, T>> all, Metric metric) {
        return requireRegistered(all, metric);
    }

    private static void requireKind(Metric metric, Metric.Kind kind) {
        if (metric.kind() != kind) {
            throw new IllegalArgumentException(metric + " is a " + metric.kind() + ", not a " + kind);
        }
    }

    private static List<String> labels(Metric metric, String... values) {
        if (values.length != metric.labels().size()) {
            throw new IllegalArgumentException(
                    metric + " has the labels " + metric.labels() + ", got " + Arrays.toString(values));
        }
        return List.of(values);
    }
}
