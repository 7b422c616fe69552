package io.sluice.benchmarks.load;

import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Waits, with its classes loaded, for a broker that is about to start, and says when the first record to a topic that the
 * broker creates itself was acknowledged. Prints READY when it waits; the figure is milliseconds since 1970.
 */
final class FirstRecordLoad {
    private static final int RECORD_BYTES = 100;

    private FirstRecordLoad() {}

    static Measurement run(LoadOptions options) throws Exception {
        Properties properties = options.producerProperties();
        properties.put("linger.ms", "0");
        properties.put("reconnect.backoff.ms", "10");
        properties.put("reconnect.backoff.max.ms", "20");
        properties.put("retry.backoff.ms", "10");
        properties.put("retry.backoff.max.ms", "20");
        properties.put("max.block.ms", "120000");
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties)) {
            System.out.println("READY");
            producer.send(new ProducerRecord<>(options.text("topic"), new byte[RECORD_BYTES]))
                    .get();
            long acknowledgedMillis = System.currentTimeMillis();
            return new Measurement(ProcessHandle.current().pid()).figure("acknowledged epoch ms", acknowledgedMillis);
        }
    }
}
