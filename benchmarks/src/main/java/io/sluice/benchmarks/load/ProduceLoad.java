package io.sluice.benchmarks.load;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** As many records as the client can send: options topic, records, warmup, size. */
final class ProduceLoad {
    private static final long HIGHEST_MICROS = 600_000_000;
    private static final long NANOS_PER_MICRO = 1000;

    private ProduceLoad() {}

    static Measurement run(LoadOptions options) {
        byte[] value = value(options);
        String topic = options.text("topic");
        long records = options.number("records", 1_000_000);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(options.producerProperties())) {
            send(producer, topic, value, options.number("warmup", records / 5), new AtomicLong(), histogram());
            AtomicLong errors = new AtomicLong();
            Histogram micros = histogram();
            Measurement measurement = new Measurement(options.number("pid", 0));
            send(producer, topic, value, records, errors, micros);
            return measurement
                    .close(records - errors.get(), records * value.length, errors.get())
                    .latencies(micros);
        }
    }

    /** Bytes that do not compress, the same in every run. */
    static byte[] value(LoadOptions options) {
        byte[] value = new byte[(int) options.number("size", 1024)];
        new Random(1).nextBytes(value);
        return value;
    }

    static Histogram histogram() {
        return new ConcurrentHistogram(1, HIGHEST_MICROS, 3);
    }

    static long microsSince(long nanos) {
        return Math.max(1, (System.nanoTime() - nanos) / NANOS_PER_MICRO);
    }

    private static void send(
            KafkaProducer<byte[], byte[]> producer,
            String topic,
            byte[] value,
            long records,
            AtomicLong errors,
            Histogram micros) {
        for (long i = 0; i < records; i++) {
            long sent = System.nanoTime();
            var unused = producer.send(new ProducerRecord<>(topic, value), (metadata, failure) -> {
                if (failure == null) {
                    micros.recordValue(microsSince(sent));
                } else {
                    errors.incrementAndGet();
                }
            });
        }
        producer.flush();
    }
}
