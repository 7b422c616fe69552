package io.sluice.testkit.differential;

import io.sluice.testkit.process.Await;
import io.sluice.testkit.wire.RawConnection;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.Gauge;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.Metric;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.MetricsData;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.ScopeMetrics;

/**
 * Client telemetry: GetTelemetrySubscriptions and PushTelemetry. Subscriptions are for the clients of one case: they match
 * its client id.
 */
final class TelemetryCases {
    private static final ApiKeys GET = ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS;
    private static final ApiKeys PUSH = ApiKeys.PUSH_TELEMETRY;
    private static final byte SET = 0;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final byte NO_CODEC = 9;

    private TelemetryCases() {}

    static void addTo(Cases cases) {
        addSubscriptions(cases);
        addRepeatedQuestions(cases);
        addPushes(cases);
        addPushErrors(cases);
        addPayloadErrors(cases);
    }

    private static void addSubscriptions(Cases cases) {
        cases.newest(GET, "nothing is asked for", s -> recordGet(s, "answer", Uuid.ZERO_UUID));
        cases.newest(GET, "one subscription", s -> {
            subscribe(s, "one", "a.,b.", "1000", "");
            recordGet(s, "answer", Uuid.ZERO_UUID);
        });
        cases.newest(GET, "two subscriptions", s -> {
            subscribe(s, "one", "a.,b.", "2000", "");
            subscribe(s, "two", "b.,c.", "1500", "");
            awaitMetrics(s, 3);
            recordGet(s, "answer", Uuid.ZERO_UUID);
        });
        cases.newest(GET, "all metrics and some", s -> {
            subscribe(s, "one", "a.", "400000", "");
            subscribe(s, "two", "b.,*", "500000", "");
            awaitMetric(s, "*");
            recordGet(s, "answer", Uuid.ZERO_UUID);
        });
        cases.newest(GET, "by its address", s -> {
            subscribe(s, "one", "a.", "1000", ",client_source_address=127\\..*");
            recordGet(s, "answer", Uuid.ZERO_UUID);
        });
        cases.newest(GET, "another address", s -> {
            subscribe(s, "one", "a.", "1000", "");
            subscribe(s, "two", "b.", "500", ",client_source_address=127");
            subscribe(s, "three", "c.", "400", ",client_software_name=nobody");
            subscribe(s, "four", "d.", "900", "");
            awaitMetric(s, "d.");
            recordGet(s, "answer", Uuid.ZERO_UUID);
        });
        cases.newest(GET, "id of its own", s -> recordGet(s, "answer", Uuid.randomUuid()));
        cases.newest(GET, "reserved id", s -> recordGet(s, "answer", Uuid.ONE_UUID));
    }

    private static void addRepeatedQuestions(Cases cases) {
        cases.newest(GET, "too early", s -> {
            Uuid id = Uuid.randomUuid();
            recordGet(s, "first", id);
            recordGet(s, "second", id);
        });
        cases.newest(GET, "changed meanwhile", s -> {
            Uuid id = Uuid.randomUuid();
            subscribe(s, "one", "a.", "100000", "");
            recordGet(s, "before", id);
            subscribe(s, "one", "b.", "100000", "");
            awaitMetric(s, "b.");
            recordGet(s, "after", id);
        });
        cases.newest(GET, "after a push", s -> {
            GetTelemetrySubscriptionsResponseData asked = get(s);
            s.recordAnswer("push", push(s, push(asked)));
            recordGet(s, "answer", asked.clientInstanceId());
        });
        cases.newest(GET, "after an unknown subscription", s -> {
            GetTelemetrySubscriptionsResponseData asked = get(s);
            s.recordAnswer("push", push(s, push(asked).setSubscriptionId(asked.subscriptionId() + 1)));
            recordGet(s, "first", asked.clientInstanceId());
            recordGet(s, "second", asked.clientInstanceId());
        });
    }

    private static void addPushes(Cases cases) {
        for (CompressionType type : CompressionType.values()) {
            cases.newest(PUSH, "compression " + type.name, s -> {
                GetTelemetrySubscriptionsResponseData asked = get(s);
                s.recordAnswer(
                        "answer",
                        push(
                                s,
                                push(asked)
                                        .setCompressionType(type.id)
                                        .setMetrics(compressed(type, payload("m", "d")))));
            });
        }
        cases.newest(PUSH, "without metrics", s -> s.recordAnswer("answer", push(s, push(get(s)))));
        cases.newest(PUSH, "too early", s -> {
            GetTelemetrySubscriptionsResponseData asked = get(s);
            s.recordAnswer("first", push(s, push(asked)));
            s.recordAnswer("second", push(s, push(asked)));
            s.recordAnswer("last", push(s, push(asked).setTerminating(true)));
        });
        cases.newest(PUSH, "after the last one", s -> {
            GetTelemetrySubscriptionsResponseData asked = get(s);
            s.recordAnswer("last", push(s, push(asked).setTerminating(true)));
            s.recordAnswer("after it", push(s, push(asked).setTerminating(true)));
            s.recordAnswer("once more", push(s, push(asked)));
            s.recordAnswer("and again", push(s, push(asked)));
        });
    }

    private static void addPushErrors(Cases cases) {
        cases.newest(PUSH, "no id", s -> s.recordAnswer("answer", push(s, push(Uuid.ZERO_UUID, 0))));
        cases.newest(PUSH, "reserved id", s -> s.recordAnswer("answer", push(s, push(Uuid.ONE_UUID, 0))));
        cases.newest(PUSH, "never asked", s -> s.recordAnswer("answer", push(s, push(Uuid.randomUuid(), 0))));
        cases.newest(PUSH, "unknown subscription", s -> {
            GetTelemetrySubscriptionsResponseData asked = get(s);
            s.recordAnswer("answer", push(s, push(asked).setSubscriptionId(asked.subscriptionId() + 1)));
            s.recordAnswer("right but early", push(s, push(asked)));
        });
        cases.newest(PUSH, "unknown codec", s -> {
            GetTelemetrySubscriptionsResponseData asked = get(s);
            s.recordAnswer("answer", push(s, push(asked).setCompressionType(NO_CODEC)));
            recordGet(s, "asked again", asked.clientInstanceId());
        });
        cases.newest(
                PUSH,
                "codec below zero",
                s -> s.recordAnswer("answer", push(s, push(get(s)).setCompressionType((byte) -1))));
        cases.newest(PUSH, "subscription changed", s -> {
            subscribe(s, "one", "a.", "100000", "");
            GetTelemetrySubscriptionsResponseData asked = get(s);
            subscribe(s, "one", "b.", "100000", "");
            awaitMetric(s, "b.");
            s.recordAnswer("answer", push(s, push(asked)));
        });
    }

    private static void addPayloadErrors(Cases cases) {
        cases.newest(PUSH, "too large", s -> {
            GetTelemetrySubscriptionsResponseData asked = get(s);
            ByteBuffer large = ByteBuffer.allocate(asked.telemetryMaxBytes() + 1);
            s.recordAnswer("answer", push(s, push(asked).setMetrics(large)));
        });
        payload(cases, "no message", CompressionType.NONE, "no protobuf at all".getBytes(StandardCharsets.UTF_8));
        byte[] whole = payload("m", "d");
        payload(cases, "cut off", CompressionType.NONE, Arrays.copyOf(whole, whole.length - 1));
        payload(cases, "zeros", CompressionType.NONE, new byte[100]);
        for (CompressionType type :
                List.of(CompressionType.GZIP, CompressionType.SNAPPY, CompressionType.LZ4, CompressionType.ZSTD)) {
            payload(cases, "says " + type.name + " and is not", type, whole);
        }
        cases.newest(PUSH, "expands too far", s -> {
            byte[] huge = payload("m", "d".repeat(40 << 20));
            s.recordAnswer(
                    "answer",
                    push(
                            s,
                            push(get(s))
                                    .setCompressionType(CompressionType.ZSTD.id)
                                    .setMetrics(compressed(CompressionType.ZSTD, huge))));
        });
    }

    private static void payload(Cases cases, String name, CompressionType type, byte[] bytes) {
        cases.newest(
                PUSH,
                "payload: " + name,
                s -> s.recordAnswer(
                        "answer",
                        push(s, push(get(s)).setCompressionType(type.id).setMetrics(ByteBuffer.wrap(bytes)))));
    }

    private static void subscribe(Session s, String name, String metrics, String interval, String moreMatch)
            throws Exception {
        set(s, name, "match", "client_id=" + s.name("c") + moreMatch);
        set(s, name, "interval.ms", interval);
        set(s, name, "metrics", metrics);
        if (moreMatch.isEmpty() || moreMatch.contains("127\\.")) {
            awaitMetric(s, metrics.split(",", -1)[0]);
        }
    }

    private static void set(Session s, String name, String key, String value) throws Exception {
        IncrementalAlterConfigsResponseData answer = s.ask(
                IncrementalAlterConfigsResponseData.class,
                ConfigCases.incremental(ClientMetricsCases.CLIENT_METRICS, s.name(name), SET, key, value));
        if (answer.responses().get(0).errorCode() != 0) {
            throw new IOException("Setting " + key + " failed: " + answer);
        }
    }

    /** Kafka's broker learns of a change a moment after the answer: a new client is asked for the metric at last. */
    private static void awaitMetric(Session s, String metric) throws Exception {
        Await.until(
                metric + " to be asked for",
                TIMEOUT,
                () -> get(s),
                answer -> answer.requestedMetrics().contains(metric)
                        || answer.requestedMetrics().contains("*"));
    }

    private static void awaitMetrics(Session s, int count) throws Exception {
        Await.until(
                count + " metrics to be asked for",
                TIMEOUT,
                () -> get(s),
                answer -> answer.requestedMetrics().size() == count);
    }

    /** What a new instance of the case's client is told. */
    private static GetTelemetrySubscriptionsResponseData get(Session s) throws IOException {
        return (GetTelemetrySubscriptionsResponseData)
                get(s, s.connection(), Uuid.ZERO_UUID).body();
    }

    private static RawConnection.Answer get(Session s, RawConnection on, Uuid id) throws IOException {
        on.send(GET.latestVersion(), s.name("c"), new GetTelemetrySubscriptionsRequestData().setClientInstanceId(id));
        return on.receive(GET, GET.latestVersion());
    }

    /** The metrics have no order. */
    private static void recordGet(Session s, String label, Uuid id) throws IOException {
        RawConnection.Answer answer = get(s, s.connection(), id);
        GetTelemetrySubscriptionsResponseData body = (GetTelemetrySubscriptionsResponseData) answer.body();
        body.setRequestedMetrics(body.requestedMetrics().stream().sorted().toList());
        s.recordAnswer(label, answer);
    }

    private static RawConnection.Answer push(Session s, PushTelemetryRequestData body) throws IOException {
        s.connection().send(PUSH.latestVersion(), s.name("c"), body);
        return s.connection().receive(PUSH, PUSH.latestVersion());
    }

    private static PushTelemetryRequestData push(GetTelemetrySubscriptionsResponseData asked) {
        return push(asked.clientInstanceId(), asked.subscriptionId());
    }

    private static PushTelemetryRequestData push(Uuid id, int subscription) {
        return new PushTelemetryRequestData().setClientInstanceId(id).setSubscriptionId(subscription);
    }

    private static byte[] payload(String name, String description) {
        return MetricsData.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .addScopeMetrics(ScopeMetrics.newBuilder()
                                .addMetrics(Metric.newBuilder()
                                        .setName(name)
                                        .setDescription(description)
                                        .setGauge(Gauge.newBuilder()
                                                .addDataPoints(NumberDataPoint.newBuilder()
                                                        .setAsDouble(1.5))))))
                .build()
                .toByteArray();
    }

    private static ByteBuffer compressed(CompressionType type, byte[] bytes) throws IOException {
        ByteBufferOutputStream out = new ByteBufferOutputStream(512);
        try (OutputStream stream = Compression.of(type).build().wrapForOutput(out, (byte) 2)) {
            new ByteArrayInputStream(bytes).transferTo(stream);
        }
        ByteBuffer written = out.buffer().duplicate();
        written.flip();
        return written;
    }
}
