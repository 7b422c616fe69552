package io.sluice.benchmarks.load;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** From the moment a record is due to the moment a consumer has it: options topic, partitions, rate, seconds, size. */
final class EndToEndLoad {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long DRAIN_NANOS = 10_000_000_000L;

    private final Histogram micros = ProduceLoad.histogram();
    private final AtomicLong received = new AtomicLong();
    private final LongAdder failedSends = new LongAdder();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicLong measuredFromNanos = new AtomicLong(Long.MAX_VALUE);

    private EndToEndLoad() {}

    static Measurement run(LoadOptions options) throws InterruptedException {
        return new EndToEndLoad().measure(options);
    }

    private Measurement measure(LoadOptions options) throws InterruptedException {
        Thread reader = new Thread(() -> receive(options), "reader");
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(options.producerProperties())) {
            reader.start();
            send(options, producer, options.number("warmup-seconds", 4));
            measuredFromNanos.set(System.nanoTime());
            Measurement measurement = new Measurement(options.number("pid", 0));
            double seconds = options.number("seconds", 12);
            send(options, producer, seconds);
            long expected = (long) (options.number("rate", 1000) * seconds);
            long drainUntil = System.nanoTime() + DRAIN_NANOS;
            while (received.get() < expected && System.nanoTime() < drainUntil) {
                Thread.onSpinWait();
            }
            return measurement
                    .close(received.get(), received.get() * options.number("size", 1024), expected - received.get())
                    .latencies(micros)
                    .figure("failed sends", failedSends.sum());
        } finally {
            stopped.set(true);
            reader.join();
        }
    }

    private void send(LoadOptions options, KafkaProducer<byte[], byte[]> producer, double seconds) {
        byte[] template = ProduceLoad.value(options);
        String topic = options.text("topic");
        Pace.run(options.number("rate", 1000), seconds, (index, due) -> {
            byte[] value = template.clone();
            ByteBuffer.wrap(value).putLong(due);
            var unused = producer.send(new ProducerRecord<>(topic, value), (metadata, failure) -> {
                if (failure != null) {
                    failedSends.increment();
                }
            });
        });
        producer.flush();
    }

    private void receive(LoadOptions options) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(options.consumerProperties())) {
            List<TopicPartition> partitions = Topics.partitions(options);
            consumer.assign(partitions);
            consumer.seekToEnd(partitions);
            while (!stopped.get()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    long due = ByteBuffer.wrap(record.value()).getLong();
                    if (due >= measuredFromNanos.get()) {
                        micros.recordValue(ProduceLoad.microsSince(due));
                        received.incrementAndGet();
                    }
                }
            }
        }
    }
}
