package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.fuzz.LiveHeap;
import io.sluice.testkit.fuzz.ProcessUsage;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Settings;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions far larger than the heap, and one whose producer dies: what a node keeps of them is small, and they end. */
@Tag("limits")
@Timeout(1800)
class LargeTransactionTest {
    private static final int PARTITIONS = 4;
    private static final int RECORD_BYTES = 1024;
    private static final long MAX_GROWTH_MEBIBYTES = 32;
    private static final int FEW = 1000;
    private static final String TOPIC = "large";
    private static final List<TopicPartition> ALL = IntStream.range(0, PARTITIONS)
            .mapToObj(partition -> new TopicPartition(TOPIC, partition))
            .toList();

    private final int records = Settings.amount("sluice.testkit.limits.transaction", 20_000, 5_000_000);

    @Test
    void oneCommitsAnotherAbortsAndOneWhoseProducerDiesIsEnded() throws Exception {
        List<String> heap = List.of("env", "SLUICE_JAVA_OPTS=-Xmx256m");
        try (BrokerUnderTest broker = SluiceNode.startUnder(heap, Map.of())) {
            TopicSetup.create(broker.bootstrapServers(), TOPIC, PARTITIONS);
            try (KafkaProducer<byte[], byte[]> warm = producer(broker, "warm", Duration.ofMinutes(1))) {
                transact(warm, FEW, true);
            }
            long before = LiveHeap.mebibytes(broker.pid());
            try (KafkaProducer<byte[], byte[]> large = producer(broker, "large", Duration.ofMinutes(15))) {
                transact(large, records, true);
                transact(large, records, false);
            }
            long after = LiveHeap.mebibytes(broker.pid());
            dieWithAnOpenTransaction(broker);

            System.out.println("limits: transactions of " + records + " records, heap after collection " + before
                    + " MiB before, " + after + " MiB after, " + ProcessUsage.of(broker.pid()));
            assertThat(after - before).isLessThan(MAX_GROWTH_MEBIBYTES);
            assertThat(countCommitted(broker)).isEqualTo(FEW + records);
            assertThat(Files.readString(broker.outputFile())).doesNotContain("OutOfMemory", " ERROR ");
        }
    }

    private static KafkaProducer<byte[], byte[]> producer(BrokerUnderTest broker, String id, Duration timeout) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("bootstrap.servers", broker.bootstrapServers());
        properties.put("transactional.id", id);
        properties.put("transaction.timeout.ms", (int) timeout.toMillis());
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
        producer.initTransactions();
        return producer;
    }

    private static void transact(KafkaProducer<byte[], byte[]> producer, int count, boolean commit) {
        long startNanos = SystemClock.INSTANCE.nanoTime();
        producer.beginTransaction();
        send(producer, count);
        if (commit) {
            producer.commitTransaction();
        } else {
            producer.abortTransaction();
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(SystemClock.INSTANCE.nanoTime() - startNanos);
        System.out.println("limits: a transaction of " + count + " records " + (commit ? "committed" : "aborted")
                + " after " + millis + " ms");
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, int count) {
        byte[] value = new byte[RECORD_BYTES];
        AtomicReference<Exception> failure = new AtomicReference<>();
        for (int i = 0; i < count; i++) {
            var unused =
                    producer.send(new ProducerRecord<>(TOPIC, i % PARTITIONS, null, value), (metadata, problem) -> {
                        if (problem != null) {
                            failure.compareAndSet(null, problem);
                        }
                    });
        }
        producer.flush();
        assertThat(failure.get()).isNull();
    }

    /** Leaves an open transaction behind, and waits until readers of what is committed can go beyond it. */
    private static void dieWithAnOpenTransaction(BrokerUnderTest broker) throws Exception {
        KafkaProducer<byte[], byte[]> dying = producer(broker, "dying", Duration.ofSeconds(2));
        dying.beginTransaction();
        send(dying, FEW);
        dying.close(Duration.ZERO);
        Await.until(
                "the transaction of a dead producer to be ended",
                Duration.ofSeconds(60),
                () -> ends(broker, IsolationLevel.READ_COMMITTED).equals(ends(broker, IsolationLevel.READ_UNCOMMITTED)),
                equal -> equal);
    }

    private static Map<TopicPartition, Long> ends(BrokerUnderTest broker, IsolationLevel level) throws Exception {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        ALL.forEach(partition -> latest.put(partition, OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.listOffsets(latest, new ListOffsetsOptions(level))
                    .all()
                    .get(30, TimeUnit.SECONDS)
                    .forEach((partition, end) -> ends.put(partition, end.offset()));
        }
        return ends;
    }

    private static long countCommitted(BrokerUnderTest broker) throws Exception {
        Map<TopicPartition, Long> ends = ends(broker, IsolationLevel.READ_COMMITTED);
        long deadline = SystemClock.INSTANCE.nanoTime() + TimeUnit.MINUTES.toNanos(10);
        long count = 0;
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers(), "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(ALL);
            consumer.seekToBeginning(ALL);
            while (ALL.stream().anyMatch(partition -> consumer.position(partition) < ends.getOrDefault(partition, 0L))
                    && SystemClock.INSTANCE.nanoTime() - deadline < 0) {
                count += consumer.poll(Duration.ofMillis(500)).count();
            }
            ALL.forEach(partition -> assertThat(consumer.position(partition))
                    .as("read of %s", partition)
                    .isEqualTo(ends.get(partition)));
        }
        return count;
    }
}
