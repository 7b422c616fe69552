package io.sluice.broker.telemetry;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.protocol.record.Inflation;
import io.sluice.protocol.record.MalformedBatchException;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.jspecify.annotations.Nullable;

/** Reads payloads and keeps their values. Safe on every thread; takes milliseconds, so not on an event loop. */
final class TelemetryReceiver {
    private final ReceivedMetrics received;
    private final int maxExpandedBytes;
    private final int maxPoints;
    private final LongAdder points;
    private final Map<LeftOut, LongAdder> leftOut = new EnumMap<>(LeftOut.class);

    /**
     * Keeps values there.
     *
     * @param maxExpandedBytes of a payload once it is decompressed
     * @param maxPoints values of one payload that are looked at
     */
    TelemetryReceiver(ReceivedMetrics received, int maxExpandedBytes, int maxPoints, Metrics metrics) {
        this.received = received;
        this.maxExpandedBytes = maxExpandedBytes;
        this.maxPoints = maxPoints;
        this.points = metrics.counter(Metric.TELEMETRY_POINTS);
        for (LeftOut why : LeftOut.values()) {
            leftOut.put(why, metrics.counter(Metric.TELEMETRY_POINTS_LEFT_OUT, why.label()));
        }
    }

    /**
     * Reads a push and keeps its values: all or none.
     *
     * @param push with metrics; its compression is known
     * @return what is wrong with the payload, or null
     */
    @Nullable String receive(String clientId, int intervalMs, PushTelemetryRequestData push) {
        OtlpReader.Reading reading;
        try {
            CompressionCodec codec = Objects.requireNonNull(CompressionCodec.find(push.compressionType()));
            ByteBuffer payload = Inflation.inflate(codec, push.metrics(), maxExpandedBytes);
            reading = OtlpReader.read(payload, maxPoints);
        } catch (MalformedBatchException | ProtoCursor.MalformedException e) {
            return e.getMessage();
        }
        int noRoom = received.take(push.clientInstanceId(), clientId, intervalMs, reading.points());
        points.add(reading.points().size() - noRoom);
        reading.leftOut().forEach((why, count) -> count(why, count));
        count(LeftOut.ROOM, noRoom);
        return null;
    }

    private void count(LeftOut why, int count) {
        Objects.requireNonNull(leftOut.get(why)).add(count);
    }

    /** The client ends: nothing of it is shown any more. */
    void forget(Uuid instanceId) {
        received.forget(instanceId);
    }
}
