package io.sluice.benchmarks.load;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Creates topics and writes one record to every partition; the figure is the time until all are acknowledged. Options
 * topic (a prefix), topics, partitions (of each), producers, create (false when they exist).
 *
 * <p>Several producers share the topics, because Kafka's producer asks for one new topic at a time and copies all it
 * knows at each answer: with one producer, 10,000 topics measure the client (7 ms a topic, the broker idle), and the more
 * producers, the less of it.
 */
final class TouchLoad {
    private static final long TIMEOUT_SECONDS = 300;
    private static final int PRODUCERS = 200;
    private static final int RECORD_BYTES = 100;
    private static final double NANOS_PER_SECOND = 1e9;

    private TouchLoad() {}

    static Measurement run(LoadOptions options) throws Exception {
        List<TopicPartition> partitions = Topics.partitions(options);
        int producers = (int) options.number("producers", PRODUCERS);
        ExecutorService threads = Executors.newFixedThreadPool(producers);
        try {
            Measurement measurement = new Measurement(options.number("pid", 0));
            long start = System.nanoTime();
            if (options.text("create", "true").equals("true")) {
                create(options);
            }
            double createSeconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
            long errors = touch(options, partitions, producers, threads);
            return measurement
                    .close(partitions.size() - errors, 0, errors)
                    .figure("create s", createSeconds)
                    .figure("total s", (System.nanoTime() - start) / NANOS_PER_SECOND);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void create(LoadOptions options) throws Exception {
        String prefix = options.text("topic");
        List<String> names = IntStream.range(0, (int) options.number("topics", 1))
                .mapToObj(i -> prefix + i)
                .toList();
        Topics.create(options.text("bootstrap"), names, (int) options.number("partitions", 1), new HashMap<>());
    }

    /** Gives each producer its run of neighbouring partitions; returns how many records were not acknowledged. */
    private static long touch(
            LoadOptions options, List<TopicPartition> partitions, int producers, ExecutorService threads)
            throws InterruptedException, ExecutionException, TimeoutException {
        List<Future<Long>> parts = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            List<TopicPartition> part =
                    partitions.subList(partitions.size() * i / producers, partitions.size() * (i + 1) / producers);
            parts.add(threads.submit(() -> touch(options, part)));
        }
        long errors = 0;
        for (Future<Long> part : parts) {
            errors += part.get(2 * TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
        return errors;
    }

    private static long touch(LoadOptions options, List<TopicPartition> partitions) throws InterruptedException {
        CountDownLatch answered = new CountDownLatch(partitions.size());
        AtomicLong errors = new AtomicLong();
        byte[] value = new byte[RECORD_BYTES];
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(options.producerProperties())) {
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
}
