package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.command.AdminPage;
import io.sluice.testkit.fuzz.ProcessUsage;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.NamedThreads;
import io.sluice.testkit.process.Settings;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A compacted topic of many keys, written while it is cleaned and the node is killed: in the end it has exactly the last value
 * of each key, and nothing of those that were deleted.
 */
@Tag("limits")
@Timeout(1800)
class LargeCompactionTest {
    private static final String TOPIC = "state";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    private static final int VALUE_BYTES = 1000;
    private static final int KILLS = 3;
    /** Every so many keys one is deleted at last. */
    private static final int DELETED_OF = 10;
    /** Writes that end segments have a key of their own. */
    private static final int CLOSING_KEY = -1;

    private static final int UNSEEN = -1;

    private final int keys = Settings.amount("sluice.testkit.limits.compaction.keys", 10_000, 1_000_000);
    private final Random random = new Random(Settings.seed("sluice.testkit.limits.compaction.seed"));
    /** The number of the last write of each key. */
    private final int[] last = new int[keys];

    private final int[] found = new int[keys];

    @Test
    void leavesTheLastValueOfEachKey() throws Exception {
        Map<String, String> node = Map.of("log.cleaner.backoff.ms", "500");
        try (BrokerUnderTest broker = SluiceNode.startUnder(List.of("env", "SLUICE_JAVA_OPTS=-Xmx256m"), node)) {
            int segmentBytes = Settings.amount("sluice.testkit.limits.compaction.segment", 1 << 20, 64 << 20);
            TopicSetup.create(
                    broker.bootstrapServers(),
                    TOPIC,
                    1,
                    Map.of(
                            "cleanup.policy", "compact",
                            "segment.bytes", Integer.toString(segmentBytes),
                            "delete.retention.ms", "0",
                            "min.cleanable.dirty.ratio", "0.3"));
            writeUnderKills(broker);
            set(broker, Map.of("segment.ms", "200", "min.cleanable.dirty.ratio", "0.0"));
            try (KafkaProducer<byte[], byte[]> closer = producer(broker)) {
                Await.until(
                        "one record of each key",
                        Duration.ofMinutes(10),
                        () -> {
                            closer.send(record(CLOSING_KEY, 0)).get(60, TimeUnit.SECONDS);
                            return read(broker);
                        },
                        superfluous -> superfluous == 0);
            }
            assertThat(found).isEqualTo(last);
            report(broker);
            assertThat(Files.readString(broker.outputFile())).doesNotContain("OutOfMemory", " ERROR ");
        }
    }

    private static void report(BrokerUnderTest broker) throws Exception {
        AdminPage page = AdminPage.get(broker.adminAddress(), "/metrics");
        System.out.printf(
                "limits: since the last kill %.0f cleanings read %.0f MB and wrote %.0f MB, the log has %.0f MB, %s%n",
                page.series("sluice_log_cleanings_total"),
                page.series("sluice_log_cleaned_bytes_total") / 1e6,
                page.series("sluice_log_cleaner_written_bytes_total") / 1e6,
                page.series("sluice_log_size_bytes") / 1e6,
                ProcessUsage.of(broker.pid()));
    }

    private void writeUnderKills(BrokerUnderTest broker) throws Exception {
        long startNanos = SystemClock.INSTANCE.nanoTime();
        ExecutorService thread = NamedThreads.pool("compaction-writer", 1);
        try {
            Future<?> writer = thread.submit(() -> {
                write(broker);
                return null;
            });
            for (int i = 0; i < KILLS && !writer.isDone(); i++) {
                Await.pause(
                        1000 + random.nextInt(Settings.amount("sluice.testkit.limits.compaction.pause", 500, 9000)));
                broker.kill9();
                broker.start();
            }
            writer.get(20, TimeUnit.MINUTES);
        } finally {
            thread.shutdownNow();
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(SystemClock.INSTANCE.nanoTime() - startNanos);
        System.out.println("limits: " + 2 * keys + " records of " + keys + " keys written in " + millis + " ms");
    }

    /** Each key about twice, in any order; at last some are deleted. */
    private void write(BrokerUnderTest broker) {
        AtomicReference<Exception> failure = new AtomicReference<>();
        try (KafkaProducer<byte[], byte[]> producer = producer(broker)) {
            for (int i = 0; i < 2 * keys; i++) {
                int key = i < keys ? i : random.nextInt(keys);
                last[key] = i;
                send(producer, record(key, i), failure);
            }
            for (int key = 0; key < keys; key += DELETED_OF) {
                last[key] = UNSEEN;
                send(producer, record(key, null), failure);
            }
            producer.flush();
        }
        assertThat(failure.get()).isNull();
    }

    private static void send(
            KafkaProducer<byte[], byte[]> producer,
            ProducerRecord<byte[], byte[]> record,
            AtomicReference<Exception> failure) {
        var unused = producer.send(record, (metadata, problem) -> {
            if (problem != null) {
                failure.compareAndSet(null, problem);
            }
        });
    }

    private static ProducerRecord<byte[], byte[]> record(int key, @Nullable Integer number) {
        byte[] keyBytes = ByteBuffer.allocate(Integer.BYTES).putInt(key).array();
        byte[] value = number == null
                ? null
                : ByteBuffer.allocate(VALUE_BYTES).putInt(number).array();
        return new ProducerRecord<>(TOPIC, 0, keyBytes, value);
    }

    private static KafkaProducer<byte[], byte[]> producer(BrokerUnderTest broker) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("bootstrap.servers", broker.bootstrapServers());
        properties.put("delivery.timeout.ms", 300_000);
        properties.put("batch.size", 65_536);
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static void set(BrokerUnderTest broker, Map<String, String> configs) throws Exception {
        List<AlterConfigOp> changes = configs.entrySet().stream()
                .map(entry ->
                        new AlterConfigOp(new ConfigEntry(entry.getKey(), entry.getValue()), AlterConfigOp.OpType.SET))
                .toList();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, TOPIC), changes))
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    /** Notes what the topic has of each key; returns how many records are there beside the last one of each. */
    private int read(BrokerUnderTest broker) {
        Arrays.fill(found, UNSEEN);
        int superfluous = 0;
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers(), "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = consumer.endOffsets(List.of(PARTITION)).getOrDefault(PARTITION, 0L);
            while (consumer.position(PARTITION) < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
                    superfluous += note(record);
                }
            }
        }
        return superfluous;
    }

    private int note(ConsumerRecord<byte[], byte[]> record) {
        int key = ByteBuffer.wrap(record.key()).getInt();
        if (key == CLOSING_KEY) {
            return 0;
        }
        int before = found[key];
        byte[] value = record.value();
        found[key] = value == null ? UNSEEN : ByteBuffer.wrap(value).getInt();
        return before != UNSEEN || value == null ? 1 : 0;
    }
}
