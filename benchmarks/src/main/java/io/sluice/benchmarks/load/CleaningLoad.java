package io.sluice.benchmarks.load;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.ReplicaInfo;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/**
 * What compaction does to appends. A compacted topic is filled while it may not be cleaned; then records go to it at a fixed
 * rate, before and while it is cleaned. That the cleaner has begun shows in the broker's CPU time, and that it is done in the size
 * of the topic: all windows of a second between count. A smaller topic is cleaned before in the same way and does not count: what a
 * first cleaning compiles keeps both cores of a small machine busy for seconds. Options topic and warmup-topic (compacted,
 * min.compaction.lag.ms an hour), records, keys, rate, size.
 */
final class CleaningLoad {
    private static final int WARM_WINDOWS = 4;
    private static final int QUIET_WINDOWS = 10;
    private static final int MAX_WINDOWS = 240;
    /** Times as much CPU time as before. */
    private static final double BUSY = 1.25;
    /** Times as many bytes as the last values have: there is always something that was not cleaned yet. */
    private static final double CLEAN = 1.5;

    /** So many times smaller is the topic that is cleaned before. */
    private static final int WARMUP_PARTS = 6;

    private static final long TIMEOUT_SECONDS = 60;

    private final LoadOptions options;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Random random = new Random(1);
    private final byte[] value;
    private final String topic;
    private final long records;
    private final int keys;
    private final double rate;
    private final long pid;
    private volatile long errors;

    private CleaningLoad(LoadOptions options, KafkaProducer<byte[], byte[]> producer, String topic, int parts) {
        this.options = options;
        this.producer = producer;
        this.value = ProduceLoad.value(options);
        this.topic = topic;
        this.records = options.number("records", 2_000_000) / parts;
        this.keys = (int) options.number("keys", 1_000_000) / parts;
        this.rate = options.number("rate", 2_000);
        this.pid = options.number("pid", 0);
    }

    static Measurement run(LoadOptions options) throws ExecutionException, InterruptedException, TimeoutException {
        Properties settings = options.producerProperties();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
            new CleaningLoad(options, producer, options.text("warmup-topic"), WARMUP_PARTS).run();
            return new CleaningLoad(options, producer, options.text("topic"), 1).run();
        }
    }

    private Measurement run() throws ExecutionException, InterruptedException, TimeoutException {
        Histogram unwanted = ProduceLoad.histogram();
        for (long i = 0; i < records; i++) {
            send(System.nanoTime(), unwanted);
        }
        producer.flush();
        for (int i = 0; i < WARM_WINDOWS; i++) {
            window(unwanted);
        }
        Measurement measurement = new Measurement(pid);
        Histogram quiet = ProduceLoad.histogram();
        double usual = 0;
        for (int i = 0; i < QUIET_WINDOWS; i++) {
            usual += window(quiet) / QUIET_WINDOWS;
        }
        Histogram cleaning = ProduceLoad.histogram();
        int windows = 0;
        try (Admin admin = Admin.create(options.clientProperties())) {
            allowCleaning(admin);
            boolean clean = false;
            for (int i = 0; i < MAX_WINDOWS && !clean; i++) {
                Histogram one = ProduceLoad.histogram();
                boolean busy = window(one) > BUSY * usual;
                if (busy || windows > 0) {
                    cleaning.add(one);
                    windows++;
                    clean = sizeBytes(admin) < CLEAN * keys * value.length;
                }
            }
            if (!clean) {
                throw new IllegalStateException("the topic is not clean after " + MAX_WINDOWS + " s");
            }
        }
        long sent = quiet.getTotalCount() + cleaning.getTotalCount();
        return measurement
                .close(sent, sent * value.length, errors)
                .latencies(cleaning)
                .figure("quiet p50 ms", quiet.getValueAtPercentile(50) / 1e3)
                .figure("quiet p99 ms", quiet.getValueAtPercentile(99) / 1e3)
                .figure(
                        "p99 cleaning/quiet",
                        (double) cleaning.getValueAtPercentile(99) / quiet.getValueAtPercentile(99))
                .figure("cleaning s", windows);
    }

    /** Sends for a second; returns the CPU seconds that the broker has used. */
    private double window(Histogram micros) {
        double before = ProcessSample.of(pid).processCpuSeconds();
        Pace.run(rate, 1, (index, due) -> send(due, micros));
        producer.flush();
        return ProcessSample.of(pid).processCpuSeconds() - before;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread calls back
    private void send(long due, Histogram micros) {
        byte[] key =
                ByteBuffer.allocate(Integer.BYTES).putInt(random.nextInt(keys)).array();
        var unused = producer.send(new ProducerRecord<>(topic, 0, key, value), (metadata, failure) -> {
            if (failure == null) {
                micros.recordValue(ProduceLoad.microsSince(due));
            } else {
                errors++;
            }
        });
    }

    private void allowCleaning(Admin admin) throws ExecutionException, InterruptedException, TimeoutException {
        admin.incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, topic),
                        List.of(new AlterConfigOp(
                                new ConfigEntry("min.compaction.lag.ms", "0"), AlterConfigOp.OpType.SET))))
                .all()
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    private long sizeBytes(Admin admin) throws ExecutionException, InterruptedException, TimeoutException {
        int node = admin.describeCluster()
                .nodes()
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .iterator()
                .next()
                .id();
        TopicPartition partition = new TopicPartition(topic, 0);
        Map<Integer, Map<String, LogDirDescription>> nodes =
                admin.describeLogDirs(List.of(node)).allDescriptions().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        return Objects.requireNonNull(nodes.get(node)).values().stream()
                .mapToLong(directory -> {
                    ReplicaInfo replica = directory.replicaInfos().get(partition);
                    return replica == null ? 0 : replica.size();
                })
                .sum();
    }
}
