package io.sluice.testkit.limit;

import io.sluice.testkit.process.NamedThreads;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** The only member of a group: consumes and commits on a thread of its own and notes what happens to its assignment. */
final class SteadyMember implements AutoCloseable {
    private final String topic;
    private final Map<String, Object> config = new HashMap<>();
    private final AtomicInteger assigned = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger records = new AtomicInteger();
    private final Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    /**
     * Joins.
     *
     * @param protocol classic or consumer
     */
    SteadyMember(String bootstrap, String group, String protocol, String topic) {
        this.topic = topic;
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        config.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, protocol);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        if (protocol.equals("classic")) {
            config.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 500);
        }
        this.thread = NamedThreads.start("member of " + group, this::run);
    }

    /** Records consumed and committed. */
    int records() {
        return records.get();
    }

    /** "assigned N times, lost M times", and what went wrong. */
    String history() {
        return "assigned " + assigned + " times, lost " + lost + " times" + (failure == null ? "" : ", " + failure);
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // Whatever happens to the member is the finding.
    private void run() {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(config)) {
            consumer.subscribe(List.of(topic), new Noting());
            while (!stopping) {
                int count = consumer.poll(Duration.ofMillis(100)).count();
                if (count > 0) {
                    consumer.commitSync();
                    records.addAndGet(count);
                }
            }
        } catch (Exception | Error e) {
            failure = e;
        }
    }

    private final class Noting implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            assigned.addAndGet(partitions.isEmpty() ? 0 : 1);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            lost.addAndGet(stopping ? 0 : 1);
        }
    }

    @Override
    public void close() {
        stopping = true;
        try {
            thread.join(30_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
