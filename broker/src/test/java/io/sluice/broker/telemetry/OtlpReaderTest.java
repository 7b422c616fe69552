package io.sluice.broker.telemetry;

import static io.sluice.broker.telemetry.Payloads.gauge;
import static io.sluice.broker.telemetry.Payloads.histogram;
import static io.sluice.broker.telemetry.Payloads.payload;
import static io.sluice.broker.telemetry.Payloads.point;
import static io.sluice.broker.telemetry.Payloads.sum;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.shaded.io.opentelemetry.proto.common.v1.AnyValue;
import org.apache.kafka.shaded.io.opentelemetry.proto.common.v1.ArrayValue;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import org.junit.jupiter.api.Test;

class OtlpReaderTest {
    private static final int MOST = 100;

    @Test
    void readsGaugesAndSumsOfEveryKind() {
        OtlpReader.Reading reading = read(payload(
                gauge("org.apache.kafka.producer.queue-size", 1.5),
                sum("a.total", false, true, 7),
                sum("b", true, true, 3),
                sum("c", true, false, -2),
                sum("d", false, false, -4)));
        assertThat(reading.points())
                .containsExactly(
                        new TelemetryPoint("producer_queue_size", false, false, 1.5),
                        new TelemetryPoint("a_total", true, false, 7),
                        new TelemetryPoint("b", true, true, 3),
                        new TelemetryPoint("c", false, true, -2),
                        new TelemetryPoint("d", false, false, -4));
        assertThat(reading.leftOut()).isEmpty();
    }

    @Test
    void readsLabelsInOrderAndOfEveryType() {
        NumberDataPoint point = NumberDataPoint.newBuilder()
                .setAsInt(-3)
                .addAttributes(Payloads.attribute(
                        "z-1", AnyValue.newBuilder().setIntValue(9).build()))
                .addAttributes(Payloads.attribute(
                        "a", AnyValue.newBuilder().setStringValue("x\0\"\n").build()))
                .addAttributes(Payloads.attribute(
                        "b", AnyValue.newBuilder().setBoolValue(true).build()))
                .addAttributes(Payloads.attribute(
                        "__c", AnyValue.newBuilder().setDoubleValue(0.5).build()))
                .addAttributes(Payloads.attribute(
                        "client-id",
                        AnyValue.newBuilder().setStringValue("another").build()))
                .build();
        OtlpReader.Reading reading = read(payload(gauge("m", point)));
        assertThat(reading.points()).hasSize(1);
        assertThat(SeriesText.parts(reading.points().get(0).series()))
                .containsExactly("m", "a", "x \"\n", "b", "true", "c", "0.5", "z_1", "9");
        assertThat(reading.points().get(0).value()).isEqualTo(-3);
    }

    @Test
    void leavesOutWhatCannotBeShownAndSaysWhy() {
        String tooLong = "n".repeat(SeriesText.MAX_NAME_LENGTH + 1);
        Map<String, String> many = IntStream.rangeClosed(0, SeriesText.MAX_LABELS)
                .boxed()
                .collect(Collectors.toMap(i -> "label" + i, i -> "v"));
        NumberDataPoint list = NumberDataPoint.newBuilder()
                .setAsInt(1)
                .addAttributes(Payloads.attribute(
                        "l",
                        AnyValue.newBuilder()
                                .setArrayValue(ArrayValue.getDefaultInstance())
                                .build()))
                .build();
        OtlpReader.Reading reading = read(payload(
                gauge(tooLong, 1),
                gauge("", 1),
                gauge("many", point(1, many)),
                gauge("long", point(1, Map.of("l", "v".repeat(SeriesText.MAX_LABEL_VALUE_LENGTH + 1)))),
                gauge("digits", point(1, Map.of("123", "v"))),
                gauge("list", list),
                gauge("none", NumberDataPoint.getDefaultInstance()),
                gauge("flagged", point(1, Map.of()).toBuilder().setFlags(1).build()),
                sum("falls", true, true, -1),
                sum("nan", false, true, Double.NaN),
                histogram("h"),
                gauge("good", 1)));
        assertThat(reading.points()).extracting(TelemetryPoint::series).containsExactly("good");
        assertThat(reading.leftOut())
                .isEqualTo(Map.of(LeftOut.NAME, 2, LeftOut.LABELS, 4, LeftOut.VALUE, 4, LeftOut.KIND, 1));
    }

    @Test
    void keepsABoundedNumberOfValues() {
        NumberDataPoint[] points = new NumberDataPoint[MOST + 7];
        Arrays.fill(points, point(1, Map.of()));
        OtlpReader.Reading reading = read(payload(gauge("m", points)));
        assertThat(reading.points()).hasSize(MOST);
        assertThat(reading.leftOut()).isEqualTo(Map.of(LeftOut.ROOM, 7));
    }

    @Test
    void refusesEveryPayloadThatIsCutOffInside() {
        byte[] whole = payload(gauge("m", point(1, Map.of("a", "b"))), sum("s", true, true, 1));
        for (int length = 1; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> read(cut)).isInstanceOf(ProtoCursor.MalformedException.class);
        }
        assertThat(read(new byte[0]).points()).isEmpty();
    }

    @Test
    void spoiledPayloadsAreReadOrRefusedAndNothingElse() {
        byte[] whole = payload(gauge("m", point(1, Map.of("a", "b"))), sum("s", true, true, 1), histogram("h"));
        Random random = new Random(42);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] spoiled = whole.clone();
            for (int flips = random.nextInt(4); flips >= 0; flips--) {
                spoiled[random.nextInt(spoiled.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(read(spoiled).points()).hasSizeLessThanOrEqualTo(MOST);
            } catch (ProtoCursor.MalformedException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    @Test
    void readsAPayloadWithinALargerBuffer() {
        byte[] whole = payload(gauge("m", 2));
        ByteBuffer larger = ByteBuffer.allocateDirect(whole.length + 20);
        larger.position(7);
        larger.put(whole);
        larger.limit(larger.position());
        larger.position(7);
        assertThat(OtlpReader.read(larger, MOST).points()).containsExactly(new TelemetryPoint("m", false, false, 2));
        assertThat(larger.remaining()).isEqualTo(whole.length);
    }

    private static OtlpReader.Reading read(byte[] payload) {
        return OtlpReader.read(ByteBuffer.wrap(payload), MOST);
    }
}
