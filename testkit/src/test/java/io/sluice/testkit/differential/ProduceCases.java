package io.sluice.testkit.differential;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Produce: what is taken, and what a fetch then finds. */
final class ProduceCases {
    private static final int FIRST_WITH_ZSTD = 7;

    private ProduceCases() {}

    static void addTo(Cases cases) {
        cases.everyVersion(ApiKeys.PRODUCE, "one batch", s -> producedAndFetched(s, Map.of(), Requests.batch(s, 3)));
        for (CompressionType type : CompressionType.values()) {
            int oldest = type == CompressionType.ZSTD ? FIRST_WITH_ZSTD : ApiKeys.PRODUCE.oldestVersion();
            cases.from(
                    ApiKeys.PRODUCE,
                    oldest,
                    "compressed: " + type.name,
                    s -> producedAndFetched(s, Map.of(), compressed(s, type)));
        }
        for (short acks : new short[] {1, -1}) {
            cases.everyVersion(ApiKeys.PRODUCE, "acks " + acks, s -> {
                Session.Topic topic = s.createTopic("t");
                s.record("answer", Requests.produce(topic, 0, acks, Requests.batch(s, 1)));
            });
        }
        cases.everyVersion(ApiKeys.PRODUCE, "two batches one after the other", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("first", Requests.produce(topic, Requests.batch(s, 2)));
            s.record("second", Requests.produce(topic, Requests.batch(s, 3)));
            s.record("fetched", Requests.fetch(topic, 0));
        });
        cases.everyVersion(ApiKeys.PRODUCE, "several topics and partitions", ProduceCases::severalPartitions);
        cases.everyVersion(
                ApiKeys.PRODUCE,
                "nothing at all",
                s -> s.record(
                        "answer", new ProduceRequestData().setAcks((short) -1).setTimeoutMs(Requests.TIMEOUT_MILLIS)));
        cases.everyVersion(
                ApiKeys.PRODUCE,
                "append time",
                s -> producedAndFetched(s, Map.of("message.timestamp.type", "LogAppendTime"), Requests.batch(s, 3)));
        cases.newest(
                ApiKeys.PRODUCE,
                "append time, compressed",
                s -> producedAndFetched(
                        s, Map.of("message.timestamp.type", "LogAppendTime"), compressed(s, CompressionType.GZIP)));
        for (String to : new String[] {"uncompressed", "gzip", "snappy", "lz4", "zstd", "producer"}) {
            cases.newest(
                    ApiKeys.PRODUCE,
                    "given gzip, topic wants " + to,
                    s -> producedAndFetched(s, Map.of("compression.type", to), compressed(s, CompressionType.GZIP)));
            cases.newest(
                    ApiKeys.PRODUCE,
                    "given no compression, topic wants " + to,
                    s -> producedAndFetched(s, Map.of("compression.type", to), compressed(s, CompressionType.NONE)));
        }
        addContents(cases);
    }

    private static void addContents(Cases cases) {
        cases.newest(ApiKeys.PRODUCE, "null keys, null values, no headers", s -> {
            SimpleRecord record = new SimpleRecord(s.baseMillis(), (byte[]) null, null);
            producedAndFetched(s, Map.of(), Requests.batch(Compression.NONE, record, record));
        });
        cases.newest(
                ApiKeys.PRODUCE,
                "no timestamp",
                s -> producedAndFetched(
                        s,
                        Map.of(),
                        Requests.batch(
                                Compression.NONE, new SimpleRecord(-1L, null, "v".getBytes(StandardCharsets.UTF_8)))));
        cases.newest(
                ApiKeys.PRODUCE,
                "timestamps out of order",
                s -> producedAndFetched(
                        s,
                        Map.of(),
                        Requests.batch(
                                Compression.NONE,
                                Requests.keyed(s.baseMillis(), "a", "1"),
                                Requests.keyed(s.baseMillis() - 5_000, "b", "2"))));
        cases.newest(
                ApiKeys.PRODUCE,
                "keyed record to a compacted topic",
                s -> producedAndFetched(s, Map.of("cleanup.policy", "compact"), Requests.batch(s, 2)));
        cases.everyVersion(
                ApiKeys.PRODUCE,
                "auto-create is not for producers",
                s -> s.record(
                        "answer",
                        Requests.produce(new Session.Topic(s.name("unknown"), new Uuid(3, 9)), Requests.batch(s, 1))));
    }

    static MemoryRecords compressed(Session s, CompressionType type) {
        SimpleRecord[] records = new SimpleRecord[20];
        for (int i = 0; i < records.length; i++) {
            records[i] = Requests.keyed(s.baseMillis() + i, "key " + i, "some value that repeats itself ".repeat(20));
        }
        return Requests.batch(Compression.of(type).build(), records);
    }

    private static void producedAndFetched(Session s, Map<String, String> configs, MemoryRecords records)
            throws Exception {
        Session.Topic topic = s.createTopic("t", 1, configs);
        s.record("answer", Requests.produce(topic, records));
        s.record("fetched", Requests.fetch(topic, 0));
    }

    private static void severalPartitions(Session s) throws Exception {
        Session.Topic one = s.createTopic("one", 2, Map.of());
        Session.Topic two = s.createTopic("two");
        Session.Topic unknown = new Session.Topic(s.name("unknown"), new Uuid(5, 5));
        ProduceRequestData request = Requests.produce(one, 0, (short) -1, Requests.batch(s, 1));
        Requests.addPartition(request, one, 1, Requests.batch(s, 2));
        Requests.addPartition(request, one, 7, Requests.batch(s, 1));
        Requests.addPartition(request, two, 0, Requests.batch(s, 3));
        Requests.addPartition(request, unknown, 0, Requests.batch(s, 1));
        s.record("answer", request);
        s.record("fetched", Requests.fetch(new ArrayList<>(java.util.List.of(one, two)), 0, 0));
    }
}
