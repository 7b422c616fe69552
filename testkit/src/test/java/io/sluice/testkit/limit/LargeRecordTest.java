package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.fuzz.ProcessUsage;
import io.sluice.testkit.process.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Records of 50 MB through the Java client, where the topic allows them; they survive a kill. */
@Tag("limits")
class LargeRecordTest {
    private static final int RECORD_BYTES = 50_000_000;
    private static final int ALLOWED_BYTES = 60_000_000;
    private static final int MAX_RESIDENT_MEBIBYTES = 1_100;
    private static final String ALLOWED = "allowed";

    @Test
    void carriesRecordsOfFiftyMegabytesWhereTheyAreAllowed() throws Exception {
        int records = Settings.amount("sluice.testkit.limits.large", 2, 20);
        try (BrokerUnderTest broker = BrokerKind.candidate().start(Map.of())) {
            TopicSetup.create(
                    broker.bootstrapServers(),
                    ALLOWED,
                    1,
                    Map.of("max.message.bytes", Integer.toString(ALLOWED_BYTES)));
            TopicSetup.create(broker.bootstrapServers(), "not-allowed", 1);
            List<Integer> sent = new ArrayList<>();
            for (int i = 0; i < records; i++) {
                // What cannot be compressed in one batch of three, what can in the others.
                String compression = List.of("none", "lz4", "zstd").get(i % 3);
                sent.add(send(broker, ALLOWED, compression, i % 3 == 0 ? noise(i) : text(i)));
            }
            assertThatThrownBy(() -> send(broker, "not-allowed", "none", noise(0)))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(RecordTooLargeException.class);
            assertThat(read(broker, records)).isEqualTo(sent);
            broker.kill9();
            broker.start();
            assertThat(read(broker, records)).as("after a kill").isEqualTo(sent);
            ProcessUsage usage = ProcessUsage.of(broker.pid());
            System.out.println("limits: " + records + " records of 50 MB: " + usage);
            assertThat(usage.residentMebibytes()).isLessThan(MAX_RESIDENT_MEBIBYTES);
        }
    }

    private static byte[] noise(int number) {
        byte[] value = new byte[RECORD_BYTES];
        new Random(number).nextBytes(value);
        return value;
    }

    /** Half of it can be compressed away. */
    private static byte[] text(int number) {
        byte[] value = noise(number);
        for (int i = 0; i < value.length; i += 2_000) {
            Arrays.fill(value, i, Math.min(value.length, i + 1_000), (byte) number);
        }
        return value;
    }

    /** Returns the hash of what was sent. */
    private static int send(BrokerUnderTest broker, String topic, String compression, byte[] value) throws Exception {
        Map<String, Object> config = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                broker.bootstrapServers(),
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                compression,
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                ALLOWED_BYTES,
                ProducerConfig.BUFFER_MEMORY_CONFIG,
                2 * ALLOWED_BYTES,
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(config)) {
            producer.send(new ProducerRecord<>(topic, 0, null, value)).get(2, TimeUnit.MINUTES);
        }
        return Arrays.hashCode(value);
    }

    /** Hashes of all records, in order. */
    private static List<Integer> read(BrokerUnderTest broker, int count) {
        Map<String, Object> config = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                broker.bootstrapServers(),
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class);
        List<Integer> found = new ArrayList<>();
        TopicPartition partition = new TopicPartition(ALLOWED, 0);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(config)) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, 0);
            for (int empty = 0; found.size() < count && empty < 3; ) {
                int before = found.size();
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofSeconds(30))) {
                    found.add(Arrays.hashCode(each.value()));
                }
                empty += found.size() == before ? 1 : 0;
            }
        }
        return found;
    }
}
