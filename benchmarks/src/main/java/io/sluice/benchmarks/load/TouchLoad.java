package io.sluice.benchmarks.load;

import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Creates topics and writes one record to every partition; the figure is the time until all are acknowledged. Options
 * topic (a prefix), topics, partitions (of each), create (false when they exist).
 */
final class TouchLoad {
    private static final long TIMEOUT_SECONDS = 300;
    private static final int RECORD_BYTES = 100;
    private static final double NANOS_PER_SECOND = 1e9;

    private TouchLoad() {}

    static Measurement run(LoadOptions options) throws Exception {
        List<TopicPartition> partitions = Topics.partitions(options);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(options.producerProperties())) {
            Measurement measurement = new Measurement(options.number("pid", 0));
            long start = System.nanoTime();
            if (options.text("create", "true").equals("true")) {
                create(options);
            }
            double createSeconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
            long errors = touch(producer, partitions);
            return measurement
                    .close(partitions.size() - errors, 0, errors)
                    .figure("create s", createSeconds)
                    .figure("total s", (System.nanoTime() - start) / NANOS_PER_SECOND);
        }
    }

    private static void create(LoadOptions options) throws Exception {
        String prefix = options.text("topic");
        List<String> names = IntStream.range(0, (int) options.number("topics", 1))
                .mapToObj(i -> prefix + i)
                .toList();
        Topics.create(options.text("bootstrap"), names, (int) options.number("partitions", 1), new HashMap<>());
    }

    private static long touch(KafkaProducer<byte[], byte[]> producer, List<TopicPartition> partitions)
            throws InterruptedException {
        CountDownLatch answered = new CountDownLatch(partitions.size());
        AtomicLong errors = new AtomicLong();
        byte[] value = new byte[RECORD_BYTES];
        for (TopicPartition partition : partitions) {
            var unused = producer.send(
                    new ProducerRecord<>(partition.topic(), partition.partition(), null, value),
                    (metadata, failure) -> {
                        if (failure != null) {
                            errors.incrementAndGet();
                        }
                        answered.countDown();
                    });
        }
        producer.flush();
        boolean all = answered.await(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        return errors.get() + (all ? 0 : answered.getCount());
    }
}
