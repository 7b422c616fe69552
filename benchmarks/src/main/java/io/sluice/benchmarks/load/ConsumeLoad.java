package io.sluice.benchmarks.load;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Reads everything from the start, twice: the first pass warms up. Options topic, partitions, records. */
final class ConsumeLoad {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final int EMPTY_POLLS_ALLOWED = 20;

    private ConsumeLoad() {}

    static Measurement run(LoadOptions options) {
        List<TopicPartition> partitions = Topics.partitions(options);
        long records = options.number("records", 1_000_000);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(options.consumerProperties())) {
            consumer.assign(partitions);
            long[] counted = new long[2];
            read(consumer, partitions, records, counted);
            Measurement measurement = new Measurement(options.number("pid", 0));
            counted = new long[2];
            read(consumer, partitions, records, counted);
            return measurement.close(counted[0], counted[1], records - counted[0]);
        }
    }

    private static void read(
            KafkaConsumer<byte[], byte[]> consumer, List<TopicPartition> partitions, long records, long[] counted) {
        consumer.seekToBeginning(partitions);
        int emptyPolls = 0;
        while (counted[0] < records && emptyPolls < EMPTY_POLLS_ALLOWED) {
            long before = counted[0];
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                counted[0]++;
                counted[1] += record.serializedValueSize();
            }
            emptyPolls = counted[0] == before ? emptyPolls + 1 : 0;
        }
    }
}
