package io.sluice.testkit.differential;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Produce: what is refused, and with which code; a fetch shows that nothing of it was kept. */
final class ProduceErrorCases {
    private static final int LENGTH_AT = 8;
    private static final int MAGIC_AT = 16;
    private static final int CRC_AT = 17;
    private static final int ATTRIBUTES_AT = 21;
    private static final int LAST_OFFSET_DELTA_AT = 23;
    private static final int PRODUCER_ID_AT = 43;
    private static final int COUNT_AT = 57;
    private static final int RECORDS_AT = 61;
    private static final long HOUR_MILLIS = 3_600_000;

    private ProduceErrorCases() {}

    static void addTo(Cases cases) {
        cases.everyVersion(ApiKeys.PRODUCE, "unknown partition", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", Requests.produce(topic, 1, (short) -1, Requests.batch(s, 1)));
            s.record("negative", Requests.produce(topic, -1, (short) -1, Requests.batch(s, 1)));
        });
        cases.everyVersion(ApiKeys.PRODUCE, "acks 2", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", Requests.produce(topic, 0, (short) 2, Requests.batch(s, 1)));
            s.record("fetched", Requests.fetch(topic, 0));
        });
        cases.everyVersion(ApiKeys.PRODUCE, "acks 0", ProduceErrorCases::acksZero);
        cases.everyVersion(ApiKeys.PRODUCE, "acks 0 to an unknown topic", ProduceErrorCases::acksZeroFails);
        cases.versions(
                ApiKeys.PRODUCE,
                3,
                6,
                "zstd too early",
                s -> refused(s, Map.of(), ProduceCases.compressed(s, CompressionType.ZSTD)));
        addDamaged(cases);
        addLimits(cases);
        addInternal(cases);
    }

    private static void addDamaged(Cases cases) {
        damaged(cases, "bad checksum", batch -> flipped(batch, RECORDS_AT + 3));
        damaged(cases, "no bytes", batch -> new byte[0]);
        damaged(cases, "one byte", batch -> java.util.Arrays.copyOf(batch, 1));
        damaged(cases, "sixty bytes", batch -> java.util.Arrays.copyOf(batch, RECORDS_AT - 1));
        damaged(cases, "truncated", batch -> java.util.Arrays.copyOf(batch, batch.length - 1));
        damaged(cases, "bytes left over", batch -> java.util.Arrays.copyOf(batch, batch.length + 5));
        damaged(cases, "two batches", batch -> twice(batch));
        damaged(cases, "magic 3", batch -> with(batch, buffer -> buffer.put(MAGIC_AT, (byte) 3)));
        damaged(cases, "magic -1", batch -> with(batch, buffer -> buffer.put(MAGIC_AT, (byte) -1)));
        damaged(cases, "length 0", batch -> with(batch, buffer -> buffer.putInt(LENGTH_AT, 0)));
        damaged(cases, "length -1", batch -> with(batch, buffer -> buffer.putInt(LENGTH_AT, -1)));
        damaged(cases, "length huge", batch -> with(batch, buffer -> buffer.putInt(LENGTH_AT, Integer.MAX_VALUE)));
        damaged(cases, "base offset 7", batch -> with(batch, buffer -> buffer.putLong(0, 7)));
        damaged(
                cases,
                "last offset delta too small",
                batch -> resealed(batch, buffer -> buffer.putInt(LAST_OFFSET_DELTA_AT, 1)));
        damaged(
                cases,
                "last offset delta too large",
                batch -> resealed(batch, buffer -> buffer.putInt(LAST_OFFSET_DELTA_AT, 9)));
        damaged(cases, "count 0", batch -> resealed(batch, buffer -> buffer.putInt(COUNT_AT, 0)));
        damaged(cases, "count -1", batch -> resealed(batch, buffer -> buffer.putInt(COUNT_AT, -1)));
        damaged(
                cases,
                "control batch",
                batch -> resealed(batch, buffer -> buffer.putShort(ATTRIBUTES_AT, (short) 0x20)));
        damaged(cases, "compression 5", batch -> resealed(batch, buffer -> buffer.putShort(ATTRIBUTES_AT, (short) 5)));
        damaged(
                cases,
                "says gzip and is not",
                batch -> resealed(batch, buffer -> buffer.putShort(ATTRIBUTES_AT, (short) 1)));
        damaged(
                cases,
                "says append time",
                batch -> resealed(batch, buffer -> buffer.putShort(ATTRIBUTES_AT, (short) 8)));
        damaged(cases, "record length wrong", batch -> resealed(batch, buffer -> buffer.put(RECORDS_AT, (byte) 2)));
        damaged(cases, "no producer epoch", batch -> resealed(batch, buffer -> buffer.putLong(PRODUCER_ID_AT, 5)));
        damaged(
                cases,
                "transactional without a transaction",
                batch -> resealed(batch, buffer -> buffer.putShort(ATTRIBUTES_AT, (short) 0x10)));
        cases.everyVersion(ApiKeys.PRODUCE, "magic 1", s -> {
            SimpleRecord record = new SimpleRecord(s.baseMillis(), "v".getBytes(StandardCharsets.UTF_8));
            refused(s, Map.of(), MemoryRecords.withRecords((byte) 1, Compression.NONE, record));
        });
        cases.newest(ApiKeys.PRODUCE, "null records", ProduceErrorCases::nullRecords);
        cases.versions(ApiKeys.PRODUCE, 3, 3, "null records", ProduceErrorCases::nullRecords);
    }

    private static void nullRecords(Session s) throws Exception {
        Session.Topic topic = s.createTopic("t");
        s.connection().send(s.version(), Requests.produce(topic, null));
        s.recordReaction("reaction", s.connection());
    }

    private static void addLimits(Cases cases) {
        cases.everyVersion(
                ApiKeys.PRODUCE,
                "batch over max.message.bytes",
                s -> refused(s, Map.of("max.message.bytes", "400"), Requests.batch(s, 30)));
        cases.newest(
                ApiKeys.PRODUCE,
                "compressed batch under max.message.bytes",
                s -> refused(s, Map.of("max.message.bytes", "600"), ProduceCases.compressed(s, CompressionType.ZSTD)));
        cases.newest(
                ApiKeys.PRODUCE,
                "batch over max.message.bytes only when uncompressed",
                s -> refused(
                        s,
                        Map.of("max.message.bytes", "600", "compression.type", "uncompressed"),
                        ProduceCases.compressed(s, CompressionType.ZSTD)));
        cases.everyVersion(
                ApiKeys.PRODUCE,
                "timestamp two hours ahead",
                s -> refused(
                        s,
                        Map.of(),
                        Requests.batch(
                                Compression.NONE,
                                Requests.keyed(s.baseMillis(), "a", "1"),
                                Requests.keyed(s.baseMillis() + 2 * HOUR_MILLIS, "b", "2"),
                                Requests.keyed(s.baseMillis() + 3 * HOUR_MILLIS, "c", "3"))));
        cases.newest(
                ApiKeys.PRODUCE,
                "timestamp too old",
                s -> refused(
                        s,
                        Map.of("message.timestamp.before.max.ms", "1000"),
                        Requests.batch(Compression.NONE, Requests.keyed(s.baseMillis() - HOUR_MILLIS, "a", "1"))));
        cases.everyVersion(
                ApiKeys.PRODUCE,
                "keyless record to a compacted topic",
                s -> refused(
                        s,
                        Map.of("cleanup.policy", "compact"),
                        Requests.batch(
                                Compression.NONE,
                                Requests.keyed(s.baseMillis(), "a", "1"),
                                new SimpleRecord(s.baseMillis(), null, "2".getBytes(StandardCharsets.UTF_8)))));
        cases.newest(
                ApiKeys.PRODUCE,
                "keyless records to a compacted topic, compressed",
                s -> refused(
                        s,
                        Map.of("cleanup.policy", "compact"),
                        Requests.batch(
                                Compression.gzip().build(),
                                new SimpleRecord(s.baseMillis(), null, "1".getBytes(StandardCharsets.UTF_8)),
                                new SimpleRecord(s.baseMillis(), null, "2".getBytes(StandardCharsets.UTF_8)))));
        cases.newest(
                ApiKeys.PRODUCE,
                "min.insync.replicas 2",
                s -> refused(s, Map.of("min.insync.replicas", "2"), Requests.batch(s, 1)));
    }

    private static void addInternal(Cases cases) {
        cases.from(
                ApiKeys.PRODUCE,
                13,
                "unknown id",
                s -> s.record("answer", Requests.produce(new Session.Topic("", new Uuid(8, 8)), Requests.batch(s, 1))));
        cases.from(
                ApiKeys.PRODUCE,
                13,
                "zero id",
                s -> s.record("answer", Requests.produce(new Session.Topic("", Uuid.ZERO_UUID), Requests.batch(s, 1))));
        cases.versions(
                ApiKeys.PRODUCE,
                3,
                12,
                "bad topic name",
                s -> s.record(
                        "answer", Requests.produce(new Session.Topic("a/b", Uuid.ZERO_UUID), Requests.batch(s, 1))));
        cases.everyVersion(ApiKeys.PRODUCE, "same partition twice", s -> {
            Session.Topic topic = s.createTopic("t");
            ProduceRequestData request = Requests.produce(topic, Requests.batch(s, 1));
            Requests.addPartition(request, topic, 0, Requests.batch(s, 2));
            s.connection().send(s.version(), request);
            s.recordReaction("reaction", s.connection());
        });
    }

    private static void damaged(Cases cases, String name, UnaryOperator<byte[]> damage) {
        cases.everyVersion(ApiKeys.PRODUCE, "record set: " + name, s -> {
            byte[] bytes = damage.apply(Requests.bytes(Requests.batch(s, 3)));
            refused(s, Map.of(), MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)));
        });
    }

    private static void refused(Session s, Map<String, String> configs, MemoryRecords records) throws Exception {
        Session.Topic topic = s.createTopic("t", 1, configs);
        s.record("answer", Requests.produce(topic, records));
        s.record("fetched", Requests.fetch(topic, 0));
    }

    private static void acksZero(Session s) throws Exception {
        Session.Topic topic = s.createTopic("t");
        s.connection().send(s.version(), Requests.produce(topic, 0, (short) 0, Requests.batch(s, 2)));
        s.connection().send(0, new ApiVersionsRequestData());
        int next = s.connection().receive(ApiKeys.API_VERSIONS, 0).correlationId();
        s.note("next answer is to the request after it", "" + (next > 0));
        // Nobody has said that the records are there: wait until they are.
        s.record("fetched", Requests.fetch(topic, 0).setMinBytes(1).setMaxWaitMs(Requests.TIMEOUT_MILLIS));
    }

    private static void acksZeroFails(Session s) throws Exception {
        Session.Topic unknown = new Session.Topic(s.name("unknown"), new Uuid(2, 2));
        s.connection().send(s.version(), Requests.produce(unknown, 0, (short) 0, Requests.batch(s, 2)));
        s.recordReaction("reaction", s.connection());
    }

    private static byte[] flipped(byte[] batch, int at) {
        batch[at] ^= 1;
        return batch;
    }

    private static byte[] twice(byte[] batch) {
        return ByteBuffer.allocate(2 * batch.length).put(batch).put(batch).array();
    }

    private static byte[] with(byte[] batch, Function<ByteBuffer, ByteBuffer> change) {
        return change.apply(ByteBuffer.wrap(batch)).array();
    }

    /** Changes a field that the checksum covers and puts the right checksum. */
    private static byte[] resealed(byte[] batch, Function<ByteBuffer, ByteBuffer> change) {
        byte[] changed = with(batch, change);
        CRC32C crc = new CRC32C();
        crc.update(changed, ATTRIBUTES_AT, changed.length - ATTRIBUTES_AT);
        ByteBuffer.wrap(changed).putInt(CRC_AT, (int) crc.getValue());
        return changed;
    }
}
