package io.sluice.testkit.broker;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.server.telemetry.ClientTelemetryExporter;
import org.apache.kafka.server.telemetry.ClientTelemetryExporterProvider;
import org.apache.kafka.shaded.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.MetricsData;

/**
 * Runs inside the reference Kafka, which serves client telemetry only with a plug-in that takes it: this one takes every
 * payload that is one. Uses nothing but kafka-clients, since nothing else of the tests is on Kafka's class path.
 */
public final class ReferenceTelemetry implements MetricsReporter, ClientTelemetryExporterProvider {
    @Override
    public ClientTelemetryExporter clientTelemetryExporter() {
        return (context, payload) -> {
            try {
                MetricsData.parseFrom(payload.data());
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalArgumentException("no MetricsData", e);
            }
        };
    }

    @Override
    public void configure(Map<String, ?> configs) {}

    @Override
    public void init(List<KafkaMetric> metrics) {}

    @Override
    public void metricChange(KafkaMetric metric) {}

    @Override
    public void metricRemoval(KafkaMetric metric) {}

    @Override
    public void close() {}
}
