package io.sluice.testkit.crash;

import io.sluice.base.time.SystemClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic from its first to its last record with a real consumer. */
final class LogReader {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private LogReader() {}

    /** A record found. */
    record Found(LoadRecord record, long offset) {}

    /**
     * Reads everything.
     *
     * @return by partition, in the order of offsets
     * @throws IllegalStateException if the ends cannot be reached in time
     */
    static List<List<Found>> read(String bootstrap, String topic, int partitions) {
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(p -> new TopicPartition(topic, p))
                .toList();
        List<List<Found>> found = new ArrayList<>();
        all.forEach(unused -> found.add(new ArrayList<>()));
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(config(bootstrap))) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all, LIMIT);
            long startNanos = SystemClock.INSTANCE.nanoTime();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(500))) {
                    found.get(each.partition()).add(new Found(LoadRecord.ofValue(each.value()), each.offset()));
                }
                if (SystemClock.INSTANCE.nanoTime() - startNanos > LIMIT.toNanos()) {
                    throw new IllegalStateException(topic + " could not be read to its end in " + LIMIT.toSeconds()
                            + " s; the ends are " + ends);
                }
            }
        }
        return found;
    }

    private static Map<String, Object> config(String bootstrap) {
        return Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "none",
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class);
    }
}
