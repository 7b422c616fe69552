package io.sluice.broker.telemetry;

import java.util.List;
import java.util.Map;
import org.apache.kafka.shaded.io.opentelemetry.proto.common.v1.AnyValue;
import org.apache.kafka.shaded.io.opentelemetry.proto.common.v1.KeyValue;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.Gauge;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.Histogram;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.Metric;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.MetricsData;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.Sum;

/** Payloads as clients make them: by OpenTelemetry's own classes. */
final class Payloads {
    private Payloads() {}

    static byte[] payload(Metric... metrics) {
        return MetricsData.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .addScopeMetrics(ScopeMetrics.newBuilder().addAllMetrics(List.of(metrics))))
                .build()
                .toByteArray();
    }

    static Metric gauge(String name, NumberDataPoint... points) {
        return Metric.newBuilder()
                .setName(name)
                .setGauge(Gauge.newBuilder().addAllDataPoints(List.of(points)))
                .build();
    }

    static Metric gauge(String name, double value) {
        return gauge(name, point(value, Map.of()));
    }

    static Metric sum(String name, boolean delta, boolean monotonic, double value) {
        return Metric.newBuilder()
                .setName(name)
                .setSum(Sum.newBuilder()
                        .addDataPoints(point(value, Map.of()))
                        .setIsMonotonic(monotonic)
                        .setAggregationTemporality(
                                delta
                                        ? AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
                                        : AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE))
                .build();
    }

    static Metric histogram(String name) {
        return Metric.newBuilder()
                .setName(name)
                .setHistogram(Histogram.newBuilder()
                        .addDataPoints(HistogramDataPoint.newBuilder().setSum(1)))
                .build();
    }

    static NumberDataPoint point(double value, Map<String, String> attributes) {
        NumberDataPoint.Builder point = NumberDataPoint.newBuilder().setAsDouble(value);
        attributes.forEach((key, text) -> point.addAttributes(
                attribute(key, AnyValue.newBuilder().setStringValue(text).build())));
        return point.build();
    }

    static KeyValue attribute(String key, AnyValue value) {
        return KeyValue.newBuilder().setKey(key).setValue(value).build();
    }
}
