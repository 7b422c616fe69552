package io.sluice.benchmarks.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A fixed rate over one or many producers: options topic, rate, seconds, warmup-seconds, producers, size. */
final class RateLoad {
    private RateLoad() {}

    static Measurement run(LoadOptions options) {
        List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();
        try {
            for (long i = 0; i < options.number("producers", 1); i++) {
                producers.add(new KafkaProducer<>(options.producerProperties()));
            }
            return run(options, producers);
        } finally {
            producers.forEach(KafkaProducer::close);
        }
    }

    private static Measurement run(LoadOptions options, List<KafkaProducer<byte[], byte[]>> producers) {
        byte[] value = ProduceLoad.value(options);
        double rate = options.number("rate", 10_000);
        double seconds = options.number("seconds", 12);
        send(options, producers, value, options.number("warmup-seconds", 4), new AtomicLong(), ProduceLoad.histogram());
        AtomicLong errors = new AtomicLong();
        Histogram micros = ProduceLoad.histogram();
        Measurement measurement = new Measurement(options.number("pid", 0));
        send(options, producers, value, seconds, errors, micros);
        long records = (long) (rate * seconds);
        return measurement
                .close(records - errors.get(), records * value.length, errors.get())
                .latencies(micros);
    }

    private static void send(
            LoadOptions options,
            List<KafkaProducer<byte[], byte[]>> producers,
            byte[] value,
            double seconds,
            AtomicLong errors,
            Histogram micros) {
        String topic = options.text("topic");
        Pace.run(options.number("rate", 10_000), seconds, (index, due) -> {
            var producer = producers.get((int) (index % producers.size()));
            var unused = producer.send(new ProducerRecord<>(topic, value), (metadata, failure) -> {
                if (failure == null) {
                    micros.recordValue(ProduceLoad.microsSince(due));
                } else {
                    errors.incrementAndGet();
                }
            });
        });
        producers.forEach(KafkaProducer::flush);
    }
}
