package io.sluice.broker.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SimulatedTime;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.simulation.InMemoryPartitionLogStore;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import io.sluice.broker.simulation.SimulatedCluster;
import io.sluice.storage.config.BrokerConfigKeys;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.GetTelemetrySubscriptionsRequest;
import org.apache.kafka.common.requests.GetTelemetrySubscriptionsResponse;
import org.apache.kafka.common.requests.PushTelemetryRequest;
import org.apache.kafka.common.requests.PushTelemetryResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TelemetryHandlersTest {
    private static final int INTERVAL_MS = 10_000;
    private static final Map<String, String> EVERYBODY = Map.of("metrics", "a.", "interval.ms", "" + INTERVAL_MS);

    private final SimulatedTime time = new SimulatedTime(1_000_000);
    private final SimulatedCluster cluster = new SimulatedCluster(new InMemoryPartitionLogStore());
    private final Metrics metrics = new Metrics();
    private final Queue<Runnable> background = new ArrayDeque<>();
    private final List<ApiHandler<?>> handlers = TelemetryHandlers.all(new TelemetryEnvironment(
            cluster,
            BrokerConfigKeys.SCHEMA.read(Map.of(
                    "telemetry.max.bytes",
                    "1000",
                    "sluice.telemetry.max.instances",
                    "3",
                    "sluice.telemetry.max.clients",
                    "2",
                    "sluice.telemetry.max.client.series",
                    "3",
                    "sluice.telemetry.max.series",
                    "4")),
            background::add,
            time,
            metrics,
            () -> id(77)));
    private final RecordingConnection connection = new RecordingConnection(1);

    @BeforeEach
    void subscribe() {
        cluster.subscribe(Map.of("everybody", EVERYBODY));
    }

    @Test
    void aClientWithoutAnIdIsGivenOneAndToldWhatToPush() {
        GetTelemetrySubscriptionsResponseData answer = get(Uuid.ZERO_UUID, "c");
        assertThat(answer.errorCode()).isZero();
        assertThat(answer.clientInstanceId()).isEqualTo(id(77));
        assertThat(answer.requestedMetrics()).containsExactly("a.");
        assertThat(answer.pushIntervalMs()).isEqualTo(INTERVAL_MS);
        assertThat(answer.acceptedCompressionTypes()).containsExactly((byte) 4, (byte) 3, (byte) 1, (byte) 2);
        assertThat(answer.telemetryMaxBytes()).isEqualTo(1000);
        assertThat(answer.deltaTemporality()).isTrue();
    }

    @Test
    void subscriptionsThatMatchAreOneForTheClient() {
        cluster.subscribe(Map.of(
                "one", Map.of("metrics", "a.,b.", "interval.ms", "5000", "match", "client_id=c.*"),
                "two", Map.of("metrics", "b.,c.", "interval.ms", "4000", "match", "client_id=.*1"),
                "three", Map.of("metrics", "d.", "interval.ms", "3000", "match", "client_id=c"),
                "four", Map.of("metrics", "*", "match", "client_id=all"),
                "five", Map.of("metrics", "e.", "interval.ms", "100", "match", "client_source_address=.*"),
                "unreadable", Map.of("metrics", "f.", "no.such.key", "1")));
        assertThat(get(id(1), "c1").requestedMetrics()).containsExactly("a.", "b.", "c.");
        assertThat(get(id(2), "c1").pushIntervalMs()).isEqualTo(4000);
        assertThat(get(id(3), "all").requestedMetrics()).containsExactly("*");
        assertThat(get(id(4), "other").requestedMetrics()).isEmpty();
        assertThat(get(id(5), null).pushIntervalMs()).isEqualTo(300_000);
    }

    @Test
    void aPatternThatTakesForEverDoesNotMatchAndTakesNoTime() {
        cluster.subscribe(Map.of(
                "slow", Map.of("metrics", "slow.", "match", "client_id=(a+)+b"),
                "deep", Map.of("metrics", "deep.", "match", "client_id=(a|c)*")));
        assertThat(get(id(1), "a".repeat(60)).requestedMetrics()).containsExactly("deep.");
        assertThat(get(id(2), "a".repeat(30_000)).requestedMetrics()).isEmpty();
        assertThat(get(id(3), "aaab").requestedMetrics()).containsExactly("slow.");
    }

    @Test
    void askingAgainIsTooEarlyUntilTheIntervalIsOverOrSomethingChanged() {
        assertThat(get(id(1), "c").errorCode()).isZero();
        advanceMillis(INTERVAL_MS - 1);
        time.jumpWallClockMillis(TimeUnit.DAYS.toMillis(1));
        assertThat(get(id(1), "c").errorCode()).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED.code());
        advanceMillis(1);
        assertThat(get(id(1), "c").errorCode()).isZero();
        cluster.subscribe(Map.of("everybody", Map.of("metrics", "b.", "interval.ms", "" + INTERVAL_MS)));
        GetTelemetrySubscriptionsResponseData changed = get(id(1), "c");
        assertThat(changed.errorCode()).isZero();
        assertThat(changed.requestedMetrics()).containsExactly("b.");
        cluster.createTopic("t", 1, Map.of());
        assertThat(get(id(1), "c").errorCode()).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED.code());
    }

    @Test
    void pushesAreTakenOnceAfterAskingAndThenOnceAnInterval() {
        GetTelemetrySubscriptionsResponseData asked = get(id(1), "c");
        assertThat(push(pushOf(asked))).isEqualTo(Errors.NONE);
        assertThat(push(pushOf(asked))).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED);
        advanceMillis(INTERVAL_MS);
        assertThat(push(pushOf(asked))).isEqualTo(Errors.NONE);
        assertThat(push(pushOf(asked).setTerminating(true))).isEqualTo(Errors.NONE);
        assertThat(push(pushOf(asked).setTerminating(true))).isEqualTo(Errors.INVALID_REQUEST);
    }

    @Test
    void everyWrongPushHasItsError() {
        assertThat(push(push(Uuid.ZERO_UUID, 0))).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(push(push(Uuid.ONE_UUID, 0))).isEqualTo(Errors.INVALID_REQUEST);
        int subscription = get(id(1), "c").subscriptionId();
        assertThat(push(push(id(1), subscription + 1))).isEqualTo(Errors.UNKNOWN_SUBSCRIPTION_ID);
        assertThat(get(id(1), "c").errorCode()).as("it has to ask at once").isZero();
        assertThat(push(push(id(1), subscription))).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED);
        advanceMillis(INTERVAL_MS);
        assertThat(push(push(id(1), subscription).setCompressionType((byte) 5)))
                .isEqualTo(Errors.UNSUPPORTED_COMPRESSION_TYPE);
        advanceMillis(INTERVAL_MS);
        assertThat(push(push(id(1), subscription).setMetrics(ByteBuffer.allocate(1001))))
                .isEqualTo(Errors.TELEMETRY_TOO_LARGE);
        advanceMillis(INTERVAL_MS);
        assertThat(push(push(id(1), subscription).setMetrics(ByteBuffer.allocate(1000))))
                .isEqualTo(Errors.INVALID_RECORD);
        advanceMillis(INTERVAL_MS);
        assertThat(push(push(id(1), subscription).setCompressionType((byte) 1).setMetrics(ByteBuffer.allocate(10))))
                .isEqualTo(Errors.INVALID_RECORD);
    }

    @Test
    void whatIsPushedIsShownAddedUpWhereItIsADifferenceAndGoneWhenTheClientEnds() throws IOException {
        GetTelemetrySubscriptionsResponseData asked = get(id(1), "c");
        assertThat(push(pushOf(asked).setMetrics(metrics(5, 2)))).isEqualTo(Errors.NONE);
        advanceMillis(INTERVAL_MS);
        assertThat(push(pushOf(asked).setMetrics(metrics(4, 3)))).isEqualTo(Errors.NONE);
        String labels = "{client_id=\"c\",client_instance_id=\"" + id(1) + "\"}";
        assertThat(shown())
                .contains("sluice_client_depth" + labels + " 4.0\n")
                .contains("sluice_client_sent_total" + labels + " 5.0\n")
                .contains("sluice_telemetry_clients 1.0\n")
                .contains("sluice_telemetry_series 2.0\n")
                .contains("sluice_telemetry_points_total 4.0\n");
        assertThat(push(pushOf(asked).setMetrics(metrics(1, 1)).setTerminating(true)))
                .isEqualTo(Errors.NONE);
        assertThat(shown()).doesNotContain("sluice_client_").contains("sluice_telemetry_series 0.0\n");
    }

    @Test
    void aSilentClientsSeriesGo() throws IOException {
        push(pushOf(get(id(1), "c")).setMetrics(metrics(5, 2)));
        advanceMillis(60_000);
        assertThat(shown()).contains("sluice_client_depth");
        advanceMillis(1);
        assertThat(shown()).doesNotContain("sluice_client_").contains("sluice_telemetry_clients 0.0\n");
    }

    @Test
    void clientsAndSeriesAreBounded() throws IOException {
        push(pushOf(get(id(1), "c")).setMetrics(metrics(1, 1)));
        push(pushOf(get(id(2), "two")).setMetrics(metrics(1, 1)));
        push(pushOf(get(id(3), "three")).setMetrics(metrics(1, 1)));
        assertThat(shown())
                .doesNotContain("client_id=\"c\"")
                .contains("client_id=\"two\"", "client_id=\"three\"")
                .contains("sluice_telemetry_series 4.0\n");
        ByteBuffer many = ByteBuffer.wrap(Payloads.payload(
                Payloads.gauge("depth", 9), Payloads.gauge("p", 1), Payloads.gauge("q", 1), Payloads.gauge("r", 1)));
        advanceMillis(INTERVAL_MS);
        push(pushOf(get(id(3), "three")).setMetrics(many));
        assertThat(shown())
                .contains("sluice_client_depth{client_id=\"three\",client_instance_id=\"" + id(3) + "\"} 9.0")
                .doesNotContain("sluice_client_p")
                .contains("sluice_telemetry_points_left_out_total{reason=\"room\"} 3.0\n");
    }

    @Test
    void instancesAreBoundedAndGoWithTheirConnection() throws IOException {
        for (int i = 1; i <= 4; i++) {
            assertThat(get(id(i), "c").errorCode()).isZero();
        }
        assertThat(shown()).contains("sluice_telemetry_instances 3.0\n");
        assertThat(get(id(1), "c").errorCode()).as("forgotten, so new").isZero();
        assertThat(get(id(4), "c").errorCode()).isEqualTo(Errors.THROTTLING_QUOTA_EXCEEDED.code());
        assertThat(connection.closeTaskCount()).isOne();
        connection.close();
        assertThat(shown()).contains("sluice_telemetry_instances 2.0\n");
        advanceMillis(60_001);
        assertThat(get(id(4), "c").errorCode()).isZero();
    }

    private static Uuid id(long number) {
        return new Uuid(1, number);
    }

    private static ByteBuffer metrics(double depth, double sent) {
        return ByteBuffer.wrap(Payloads.payload(
                Payloads.gauge("org.apache.kafka.depth", depth), Payloads.sum("sent.total", true, true, sent)));
    }

    private void advanceMillis(long millis) {
        time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private String shown() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        metrics.writeText(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static PushTelemetryRequestData pushOf(GetTelemetrySubscriptionsResponseData asked) {
        return push(asked.clientInstanceId(), asked.subscriptionId());
    }

    private static PushTelemetryRequestData push(Uuid id, int subscription) {
        return new PushTelemetryRequestData().setClientInstanceId(id).setSubscriptionId(subscription);
    }

    private GetTelemetrySubscriptionsResponseData get(Uuid id, @Nullable String clientId) {
        GetTelemetrySubscriptionsRequest request = new GetTelemetrySubscriptionsRequest.Builder(
                        new GetTelemetrySubscriptionsRequestData().setClientInstanceId(id), true)
                .build();
        RecordingCall<GetTelemetrySubscriptionsRequest> call = call(request, clientId);
        handler(GetTelemetrySubscriptionsHandler.class).handle(call);
        return ((GetTelemetrySubscriptionsResponse) call.response()).data();
    }

    private Errors push(PushTelemetryRequestData data) {
        RecordingCall<PushTelemetryRequest> call =
                call(new PushTelemetryRequest.Builder(data, true).build(), clientOf(data.clientInstanceId()));
        handler(PushTelemetryHandler.class).handle(call);
        while (!background.isEmpty()) {
            background.remove().run();
        }
        return Errors.forCode(((PushTelemetryResponse) call.response()).data().errorCode());
    }

    private static String clientOf(Uuid id) {
        return switch ((int) id.getLeastSignificantBits()) {
            case 2 -> "two";
            case 3 -> "three";
            default -> "c";
        };
    }

    private <R extends AbstractRequest> RecordingCall<R> call(R request, @Nullable String clientId) {
        return new RecordingCall<>(request, connection, time.nanoTime(), clientId);
    }

    private <H> H handler(Class<H> type) {
        return type.cast(handlers.stream().filter(type::isInstance).findFirst().orElseThrow());
    }
}
