package io.sluice.testkit.history;

import io.sluice.testkit.history.Written.Outcome;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A producer that writes records which are all different and notes what became of each: plain ones are idempotent, the others
 * put their records into transactions and abort some. It lives through kills of the broker. For one thread, but for the
 * producer's callbacks.
 */
final class HistoryWriter implements Runnable {
    private static final int MOST_IN_FLIGHT = 500;
    private static final int MOST_IN_TRANSACTION = 100;
    private static final int ABORTED_OF_TEN = 2;
    private static final int VALUE_BYTES = 64;
    private static final int TRIES = 100;

    private final String bootstrap;
    private final String topic;
    private final int partitions;
    private final int number;
    private final boolean transactional;
    private final int records;
    private final Random random;
    private final Semaphore inFlight = new Semaphore(MOST_IN_FLIGHT);
    private final int[] partitionOf;
    private final Outcome[] outcomes;
    private volatile int sent;

    /**
     * @param number of this producer; no other has it
     * @param records how many it writes
     */
    HistoryWriter(
            String bootstrap, String topic, int partitions, int number, boolean transactional, int records, long seed) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.partitions = partitions;
        this.number = number;
        this.transactional = transactional;
        this.records = records;
        this.random = new Random(seed + number);
        partitionOf = new int[records];
        outcomes = new Outcome[records];
    }

    /** How many records it has begun to send. */
    int sent() {
        return sent;
    }

    /** What became of its records. After the end of {@link #run}. */
    List<Written> written() {
        List<Written> all = new ArrayList<>(sent);
        for (int i = 0; i < sent; i++) {
            Outcome outcome = outcomes[i] == null ? Outcome.UNKNOWN : outcomes[i];
            all.add(new Written(number, i, partitionOf[i], outcome));
        }
        return all;
    }

    @Override
    public void run() {
        if (transactional) {
            writeTransactions();
        } else {
            writePlain();
        }
    }

    private void writePlain() {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(config())) {
            while (sent < records) {
                send(producer, true);
            }
            producer.flush();
        }
    }

    /** Sends the next record; its acknowledgement decides only outside of transactions. */
    private void send(KafkaProducer<byte[], byte[]> producer, boolean decides) {
        int record = sent;
        partitionOf[record] = random.nextInt(partitions);
        sent = record + 1;
        byte[] value = ByteBuffer.allocate(VALUE_BYTES)
                .putLong(Written.value(number, record))
                .array();
        inFlight.acquireUninterruptibly();
        try {
            Future<RecordMetadata> unused = producer.send(
                    new ProducerRecord<>(topic, partitionOf[record], null, value), (metadata, failure) -> {
                        inFlight.release();
                        if (decides && failure == null) {
                            outcomes[record] = Outcome.KEPT;
                        }
                    });
        } catch (KafkaException e) {
            inFlight.release();
            throw e;
        }
    }

    private void writeTransactions() {
        @Nullable KafkaProducer<byte[], byte[]> producer = null;
        try {
            while (sent < records) {
                producer = producer == null ? begun() : producer;
                if (!writeTransaction(producer)) {
                    producer.close(Duration.ZERO);
                    producer = null;
                }
            }
        } finally {
            if (producer != null) {
                producer.close(Duration.ofSeconds(10));
            }
        }
    }

    /** A producer that owns the transactional id: whatever was open under it is aborted by then. */
    private KafkaProducer<byte[], byte[]> begun() {
        KafkaException last = new KafkaException("never tried");
        for (int i = 0; i < TRIES; i++) {
            KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(config());
            try {
                producer.initTransactions();
                return producer;
            } catch (KafkaException e) {
                last = e;
                producer.close(Duration.ZERO);
            }
        }
        throw new IllegalStateException("producer " + number + " never came to own its transactional id", last);
    }

    /**
     * Writes one transaction.
     *
     * @return whether the producer can be used further
     */
    private boolean writeTransaction(KafkaProducer<byte[], byte[]> producer) {
        int from = sent;
        boolean commits = random.nextInt(10) >= ABORTED_OF_TEN;
        try {
            producer.beginTransaction();
            int until = Math.min(records, from + 1 + random.nextInt(MOST_IN_TRANSACTION));
            while (sent < until) {
                send(producer, false);
            }
            producer.flush();
        } catch (KafkaException e) {
            return abort(producer, from);
        }
        return commits ? commit(producer, from) : abort(producer, from);
    }

    /** A commit that was asked for may have been made, whatever is heard; one that timed out is asked for again. */
    private boolean commit(KafkaProducer<byte[], byte[]> producer, int from) {
        for (int i = 0; i < TRIES; i++) {
            try {
                producer.commitTransaction();
                decide(from, Outcome.KEPT);
                return true;
            } catch (KafkaException e) {
                if (!(e instanceof RetriableException)) {
                    return false;
                }
            }
        }
        return false;
    }

    /** Nobody has asked for a commit, so whatever becomes of the abort: nothing of the transaction may ever be read. */
    private boolean abort(KafkaProducer<byte[], byte[]> producer, int from) {
        decide(from, Outcome.ABORTED);
        for (int i = 0; i < TRIES; i++) {
            try {
                producer.abortTransaction();
                return true;
            } catch (KafkaException e) {
                if (!(e instanceof RetriableException)) {
                    return false;
                }
            }
        }
        return false;
    }

    private void decide(int from, Outcome outcome) {
        for (int i = from; i < sent; i++) {
            outcomes[i] = outcome;
        }
    }

    private Map<String, Object> config() {
        Map<String, Object> config = new HashMap<>(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                true,
                ProducerConfig.LINGER_MS_CONFIG,
                2,
                ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                200,
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                20_000,
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class));
        if (transactional) {
            config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "history-" + number);
        }
        return config;
    }
}
