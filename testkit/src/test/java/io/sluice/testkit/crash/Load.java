package io.sluice.testkit.crash;

import io.sluice.testkit.process.NamedThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Producers that send as fast as they are let, half of them idempotent (even numbers) and half plain with one request in
 * flight, all with acks=all. They live through kills of the broker.
 */
final class Load implements AutoCloseable {
    private static final int MAX_FILL_BYTES = 1_500;

    private final int partitions;
    private final List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();
    private final ExecutorService threads;
    private final long seed;

    /** A stretch of sending to one topic. */
    final class Stretch {
        private final String topic;
        private final Ledger ledger = new Ledger();
        private final List<CompletableFuture<Void>> senders = new ArrayList<>();
        private volatile boolean stopping;

        private Stretch(String topic) {
            this.topic = topic;
            for (int i = 0; i < producers.size(); i++) {
                int number = i;
                senders.add(CompletableFuture.runAsync(() -> send(number), threads));
            }
        }

        Ledger ledger() {
            return ledger;
        }

        /** Sends no more and waits until everything sent is acknowledged or has failed. */
        void finish() throws Exception {
            stopping = true;
            CompletableFuture.allOf(senders.toArray(CompletableFuture[]::new)).get(5, TimeUnit.MINUTES);
        }

        /** Sends no more and waits for nobody: what is on its way may still be acknowledged. */
        void abandon() {
            stopping = true;
        }

        private void send(int number) {
            Random random = new Random(seed + 31L * number + topic.hashCode());
            long[] sequences = new long[partitions];
            while (!stopping) {
                int partition = random.nextInt(partitions);
                LoadRecord record = new LoadRecord(number, partition, sequences[partition]++);
                byte[] value = record.toValue(random, random.nextInt(MAX_FILL_BYTES));
                try {
                    Future<RecordMetadata> unused = producers
                            .get(number)
                            .send(
                                    new ProducerRecord<>(topic, partition, null, value),
                                    (metadata, failure) -> onDone(record, metadata, failure));
                } catch (InterruptException | IllegalStateException e) {
                    // The producer has been closed under us: the stretch was abandoned.
                    return;
                }
            }
            producers.get(number).flush();
        }

        private void onDone(LoadRecord record, RecordMetadata metadata, @Nullable Exception failure) {
            if (failure == null) {
                ledger.onAcknowledged(record, metadata.hasOffset() ? metadata.offset() : -1);
            } else {
                ledger.onFailed(record, failure);
            }
        }
    }

    /**
     * @param ofEachKind idempotent producers, and as many plain ones
     */
    Load(String bootstrap, int ofEachKind, int partitions, long seed) {
        this.partitions = partitions;
        this.seed = seed;
        this.threads = NamedThreads.pool("load", 2 * ofEachKind);
        for (int i = 0; i < 2 * ofEachKind; i++) {
            producers.add(new KafkaProducer<>(config(bootstrap, isIdempotent(i))));
        }
    }

    /** Whether the producer with this number is idempotent. */
    static boolean isIdempotent(int number) {
        return number % 2 == 0;
    }

    /** Starts sending to a topic. */
    Stretch start(String topic) {
        return new Stretch(topic);
    }

    private static Map<String, Object> config(String bootstrap, boolean idempotent) {
        return Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                idempotent,
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                idempotent ? 5 : 1,
                ProducerConfig.BUFFER_MEMORY_CONFIG,
                2 << 20,
                ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                200,
                ProducerConfig.METADATA_MAX_AGE_CONFIG,
                5_000,
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class);
    }

    @Override
    public void close() {
        producers.forEach(producer -> producer.close(Duration.ZERO));
        threads.shutdownNow();
    }
}
