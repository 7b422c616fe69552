package io.sluice.testkit.history;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads all partitions from their start and never jumps, committed records only. For one thread; what it got may be taken after
 * its end.
 */
final class HistoryReader implements Runnable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration ENDS = Duration.ofMinutes(1);

    private final String bootstrap;
    private final List<TopicPartition> partitions;
    private final BooleanSupplier done;
    private final List<Seen> seen = new ArrayList<>();

    /**
     * @param done whether nothing more is written: then it reads to the end of now and stops
     */
    HistoryReader(String bootstrap, String topic, int partitions, BooleanSupplier done) {
        this.bootstrap = bootstrap;
        this.partitions = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        this.done = done;
    }

    /** All it got, in its order. */
    List<Seen> seen() {
        return seen;
    }

    @Override
    public void run() {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(config())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (!done.getAsBoolean()) {
                poll(consumer);
            }
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, ENDS);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey(), ENDS) < end.getValue())) {
                poll(consumer);
            }
        }
    }

    private void poll(KafkaConsumer<byte[], byte[]> consumer) {
        consumer.poll(POLL)
                .forEach(each -> seen.add(new Seen(
                        each.partition(),
                        each.offset(),
                        ByteBuffer.wrap(each.value()).getLong())));
    }

    private Map<String, Object> config() {
        return Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                IsolationLevel.READ_COMMITTED.toString(),
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "none",
                ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                200,
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class);
    }
}
