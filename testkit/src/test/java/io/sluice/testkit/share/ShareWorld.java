package io.sluice.testkit.share;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A node, and what share consumers need of it. */
final class ShareWorld implements AutoCloseable {
    static final String GROUP = "sharers";
    static final String TOPIC = "work";
    private static final Duration POLL = Duration.ofMillis(200);

    final BrokerUnderTest node;

    ShareWorld(int partitions, Map<String, String> configs) throws Exception {
        node = SluiceNode.startUnder(List.of(), configs);
        TopicSetup.create(node.bootstrapServers(), TOPIC, partitions);
        set(ConfigResource.Type.GROUP, GROUP, "share.auto.offset.reset", "earliest");
    }

    Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", node.bootstrapServers()));
    }

    /** Sets one setting of a group or a topic. */
    void set(ConfigResource.Type type, String name, String key, String value) throws Exception {
        try (Admin admin = admin()) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(type, name),
                            List.of(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET))))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    Uuid topicId() throws Exception {
        try (Admin admin = admin()) {
            return Objects.requireNonNull(admin.describeTopics(List.of(TOPIC))
                            .allTopicNames()
                            .get(30, TimeUnit.SECONDS)
                            .get(TOPIC))
                    .topicId();
        }
    }

    /** Produces "0" to "count - 1", and waits until all are acknowledged. */
    void produce(int count) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", node.bootstrapServers(), "acks", "all"),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < count; i++) {
                var unused = producer.send(new ProducerRecord<>(TOPIC, Integer.toString(i), Integer.toString(i)));
            }
            producer.flush();
        }
    }

    /** A subscribed member; it acknowledges what it says, or by its next poll. */
    KafkaShareConsumer<String, String> member(boolean explicit) {
        KafkaShareConsumer<String, String> consumer = new KafkaShareConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        node.bootstrapServers(),
                        "group.id",
                        GROUP,
                        "share.acknowledgement.mode",
                        explicit ? "explicit" : "implicit"),
                new StringDeserializer(),
                new StringDeserializer());
        consumer.subscribe(List.of(TOPIC));
        return consumer;
    }

    /** Polls until the records satisfy, or half a minute has passed. */
    static List<ConsumerRecord<String, String>> poll(
            KafkaShareConsumer<String, String> consumer, Predicate<List<ConsumerRecord<String, String>>> enough) {
        List<ConsumerRecord<String, String>> all = new ArrayList<>();
        long deadline = SystemClock.INSTANCE.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!enough.test(all) && SystemClock.INSTANCE.nanoTime() - deadline < 0) {
            consumer.poll(POLL).forEach(all::add);
        }
        return all;
    }

    /** Polls for a while, and returns what came. */
    static List<ConsumerRecord<String, String>> pollFor(KafkaShareConsumer<String, String> consumer, Duration time) {
        long deadline = SystemClock.INSTANCE.nanoTime() + time.toNanos();
        return poll(consumer, all -> SystemClock.INSTANCE.nanoTime() - deadline >= 0);
    }

    /** Reads partition 0 of a topic from the start, until so many records have come. */
    List<ConsumerRecord<String, String>> read(String topic, int count) {
        try (KafkaConsumer<String, String> reader = new KafkaConsumer<>(
                Map.of("bootstrap.servers", node.bootstrapServers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            TopicPartition partition = new TopicPartition(topic, 0);
            reader.assign(List.of(partition));
            reader.seekToBeginning(List.of(partition));
            List<ConsumerRecord<String, String>> all = new ArrayList<>();
            long deadline = SystemClock.INSTANCE.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (all.size() < count && SystemClock.INSTANCE.nanoTime() - deadline < 0) {
                reader.poll(POLL).forEach(all::add);
            }
            return all;
        }
    }

    @Override
    public void close() throws IOException {
        node.close();
    }
}
