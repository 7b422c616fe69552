package io.sluice.broker.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unchanged Kafka clients of the newest version, over loopback sockets and the local engine. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class KafkaClientsTest {
    private static final Duration POLL = Duration.ofMillis(200);

    @TempDir
    Path directory;

    private RecordWorld world;

    @BeforeEach
    void start() throws IOException {
        world = new RecordWorld(directory, Map.of("socket.request.max.bytes", "104857600"));
    }

    @AfterEach
    void stop() {
        world.close();
    }

    @ParameterizedTest
    @CsvSource({"none,all", "gzip,all", "snappy,all", "lz4,all", "zstd,all", "none,1", "lz4,1", "none,0"})
    void whatIsSentArrivesInOrder(String compression, String acks) throws Exception {
        world.createTopic("t", 3);
        Map<TopicPartition, List<byte[]>> sent = new HashMap<>();
        Random random = new Random(5);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of(
                "compression.type",
                compression,
                "acks",
                acks,
                "enable.idempotence",
                acks.equals("all"),
                "linger.ms",
                2))) {
            List<Future<RecordMetadata>> acknowledged = new ArrayList<>();
            for (int i = 0; i < 3_000; i++) {
                byte[] value = new byte[random.nextInt(300)];
                random.nextBytes(value);
                ProducerRecord<byte[], byte[]> record = new ProducerRecord<>("t", i % 3, new byte[] {(byte) i}, value);
                record.headers().add(new RecordHeader("h", new byte[] {1}));
                acknowledged.add(producer.send(record));
                sent.computeIfAbsent(new TopicPartition("t", i % 3), key -> new ArrayList<>())
                        .add(value);
            }
            producer.flush();
            for (Future<RecordMetadata> future : acknowledged) {
                future.get(10, TimeUnit.SECONDS);
            }
        }

        Map<TopicPartition, List<byte[]>> received = consume(
                3_000, Map.of(), new TopicPartition("t", 0), new TopicPartition("t", 1), new TopicPartition("t", 2));

        sent.forEach((partition, values) -> assertThat(received.get(partition))
                .usingElementComparator(java.util.Arrays::compare)
                .isEqualTo(values));
    }

    @Test
    void recordsOfFiftyMegabytesWhereTheTopicAllowsThem() throws Exception {
        world.createTopic("big", 1, "max.message.bytes", "70000000");
        byte[] value = new byte[50 << 20];
        new Random(1).nextBytes(value);
        Map<String, Object> large =
                Map.of("max.request.size", 70_000_000, "buffer.memory", 140_000_000L, "batch.size", 0);
        try (KafkaProducer<byte[], byte[]> producer = producer(large)) {
            producer.send(new ProducerRecord<>("big", 0, null, value)).get(60, TimeUnit.SECONDS);
        }

        Map<TopicPartition, List<byte[]>> received = consume(1, Map.of(), new TopicPartition("big", 0));

        assertThat(received.getOrDefault(new TopicPartition("big", 0), List.of()))
                .containsExactly(value);
    }

    @Test
    void recordsLargerThanTheTopicAllowsAreRefused() {
        world.createTopic("small", 1, "max.message.bytes", "1000");
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
            Future<RecordMetadata> refused = producer.send(new ProducerRecord<>("small", 0, null, new byte[5_000]));

            assertThatThrownBy(() -> refused.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(RecordTooLargeException.class);
        }
    }

    @Test
    void aTimeOutOfRangeIsRefused() {
        world.createTopic("t", 1);
        long tomorrow = System.currentTimeMillis() + TimeUnit.DAYS.toMillis(1);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
            Future<RecordMetadata> refused = producer.send(new ProducerRecord<>("t", 0, tomorrow, null, new byte[10]));

            assertThatThrownBy(() -> refused.get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(InvalidTimestampException.class);
        }
    }

    @Test
    void offsetsByPlaceAndTime() throws Exception {
        world.createTopic("t", 1);
        long base = System.currentTimeMillis() - 100_000;
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of("compression.type", "gzip", "linger.ms", 20))) {
            for (int i = 0; i < 100; i++) {
                Future<RecordMetadata> unused =
                        producer.send(new ProducerRecord<>("t", 0, base + i * 10L, null, new byte[10]));
            }
            producer.flush();
        }
        TopicPartition partition = new TopicPartition("t", 0);
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(Map.of())) {
            assertThat(consumer.endOffsets(List.of(partition))).containsEntry(partition, 100L);
            assertThat(consumer.beginningOffsets(List.of(partition))).containsEntry(partition, 0L);
            OffsetAndTimestamp found = java.util.Objects.requireNonNull(
                    consumer.offsetsForTimes(Map.of(partition, base + 345)).get(partition));
            assertThat(found.offset()).isEqualTo(35);
            assertThat(found.timestamp()).isEqualTo(base + 350);
            assertThat(consumer.offsetsForTimes(Map.of(partition, base + 5_000)).get(partition))
                    .isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"read_uncommitted", "read_committed"})
    void aWaitingConsumerHearsOfEachRecordAtOnce(String isolation) throws Exception {
        world.createTopic("t", 1);
        TopicPartition partition = new TopicPartition("t", 0);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of("linger.ms", 0));
                KafkaConsumer<byte[], byte[]> consumer =
                        consumer(Map.of("fetch.max.wait.ms", 3_000, "isolation.level", isolation))) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            consumer.poll(POLL);
            long started = System.nanoTime();
            for (int i = 0; i < 50; i++) {
                Future<RecordMetadata> unused =
                        producer.send(new ProducerRecord<>("t", 0, null, new byte[] {(byte) i}));
                List<ConsumerRecord<byte[], byte[]>> received = poll(consumer, 1);
                assertThat(received.get(0).value()).containsExactly((byte) i);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(10));
        }
    }

    @Test
    void manyPartitionsInOneSession() throws Exception {
        world.createTopic("many", 500);
        List<TopicPartition> partitions = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            partitions.add(new TopicPartition("many", i));
        }
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                KafkaConsumer<byte[], byte[]> consumer = consumer(Map.of())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            consumer.poll(POLL);
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i < 500; i += 7) {
                    Future<RecordMetadata> unused =
                            producer.send(new ProducerRecord<>("many", i, null, new byte[] {1}));
                }
                producer.flush();
                assertThat(poll(consumer, 72)).hasSize(72);
            }
        }
    }

    @Test
    void twoConsumersReadTheSameWhileItIsWritten() throws Exception {
        world.createTopic("t", 4);
        List<TopicPartition> partitions = List.of(
                new TopicPartition("t", 0),
                new TopicPartition("t", 1),
                new TopicPartition("t", 2),
                new TopicPartition("t", 3));
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of("compression.type", "lz4"));
                KafkaConsumer<byte[], byte[]> first = consumer(Map.of());
                KafkaConsumer<byte[], byte[]> second = consumer(Map.of("fetch.min.bytes", 20_000))) {
            for (KafkaConsumer<byte[], byte[]> consumer : List.of(first, second)) {
                consumer.assign(partitions);
                consumer.seekToBeginning(partitions);
            }
            for (int i = 0; i < 20_000; i++) {
                Future<RecordMetadata> unused = producer.send(new ProducerRecord<>("t", i % 4, null, new byte[100]));
            }
            assertThat(poll(first, 20_000)).hasSize(20_000);
            assertThat(poll(second, 20_000)).hasSize(20_000);
        }
    }

    @Test
    void aConsumerFollowsATopicThatIsCreatedAgain() throws Exception {
        world.createTopic("t", 1);
        TopicPartition partition = new TopicPartition("t", 0);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                KafkaConsumer<byte[], byte[]> consumer =
                        consumer(Map.of("auto.offset.reset", "earliest", "metadata.max.age.ms", 300))) {
            producer.send(new ProducerRecord<>("t", 0, null, new byte[] {1})).get(10, TimeUnit.SECONDS);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            assertThat(poll(consumer, 1).get(0).value()).containsExactly(1);

            world.deleteTopic("t");
            world.createTopic("t", 1);
            producer.send(new ProducerRecord<>("t", 0, null, new byte[] {2})).get(60, TimeUnit.SECONDS);

            consumer.seekToBeginning(List.of(partition));
            assertThat(poll(consumer, 1).get(0).value()).containsExactly(2);
        }
    }

    private Map<TopicPartition, List<byte[]>> consume(
            int count, Map<String, Object> config, TopicPartition... partitions) {
        Map<TopicPartition, List<byte[]>> received = new HashMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(config)) {
            consumer.assign(List.of(partitions));
            consumer.seekToBeginning(List.of(partitions));
            for (ConsumerRecord<byte[], byte[]> record : poll(consumer, count)) {
                received.computeIfAbsent(
                                new TopicPartition(record.topic(), record.partition()), key -> new ArrayList<>())
                        .add(record.value());
            }
        }
        return received;
    }

    /** Polls until so many records have come; the test's time-out bounds it. */
    private static List<ConsumerRecord<byte[], byte[]>> poll(KafkaConsumer<byte[], byte[]> consumer, int count) {
        List<ConsumerRecord<byte[], byte[]>> received = new ArrayList<>();
        while (received.size() < count) {
            consumer.poll(POLL).forEach(received::add);
        }
        return received;
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, Object> config) {
        Map<String, Object> all = new HashMap<>(config);
        all.put("bootstrap.servers", world.bootstrap());
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> config) {
        Map<String, Object> all = new HashMap<>(config);
        all.put("bootstrap.servers", world.bootstrap());
        all.putIfAbsent("fetch.max.bytes", 60 << 20);
        all.putIfAbsent("max.partition.fetch.bytes", 1 << 20);
        return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }
}
