package io.sluice.testkit.client;

import io.sluice.base.time.SystemClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * What a Java client of any age does with a broker: run as a program of its own with that client's jars on the class path.
 * Uses only what kafka-clients 0.11 and 4.4 both have; the one method that changed is called by reflection. Prints a line
 * for each thing that worked; ends with an exception and exit status 1 at the first that does not.
 *
 * <p>Arguments: bootstrap server, prefix for names, compressions separated by commas, group protocols separated by commas.
 */
public final class JavaClientDriver {
    private static final int RECORDS = 300;
    private static final int PARTITIONS = 4;
    private static final long DEADLINE_MILLIS = 60_000;

    private final String bootstrap;
    private final String prefix;

    private JavaClientDriver(String bootstrap, String prefix) {
        this.bootstrap = bootstrap;
        this.prefix = prefix;
    }

    public static void main(String[] arguments) throws Exception {
        JavaClientDriver driver = new JavaClientDriver(arguments[0], arguments[1]);
        for (String compression : arguments[2].split(",", -1)) {
            driver.producesAndConsumes(compression);
        }
        for (String protocol : arguments[3].split(",", -1)) {
            driver.sharesPartitionsInAGroup(protocol);
        }
        System.out.println("done");
    }

    private void producesAndConsumes(String compression) throws Exception {
        String topic = prefix + "-" + compression;
        createTopic(topic);
        produce(topic, compression, 0, RECORDS);
        Map<String, ConsumerRecord<String, String>> found = new HashMap<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(consumerConfig(null, "classic"))) {
            List<TopicPartition> partitions = partitions(topic);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long startNanos = SystemClock.INSTANCE.nanoTime();
            while (found.size() < RECORDS) {
                for (ConsumerRecord<String, String> record : poll(consumer)) {
                    verify(record);
                    require(found.put(record.key(), record) == null, "Record " + record.key() + " came twice");
                }
                require(
                        SystemClock.INSTANCE.nanoTime() - startNanos < TimeUnit.MILLISECONDS.toNanos(DEADLINE_MILLIS),
                        "Only " + found.size() + " of " + RECORDS + " records of " + topic + " came");
            }
        }
        System.out.println("produced and consumed: " + compression);
    }

    private void sharesPartitionsInAGroup(String protocol) throws Exception {
        String topic = prefix + "-group-" + protocol;
        String group = prefix + "-g-" + protocol;
        createTopic(topic);
        Progress progress = new Progress();
        JavaGroupMember one = member(group, protocol, topic, progress);
        progress.await("the first member to own everything", () -> one.assigned() == PARTITIONS);
        JavaGroupMember two = member(group, protocol, topic, progress);
        progress.await(
                "two members to own half each",
                () -> one.assigned() == PARTITIONS / 2 && two.assigned() == PARTITIONS / 2);
        produce(topic, "none", 0, RECORDS);
        progress.await("both members to get all records", () -> one.received() + two.received() >= RECORDS);
        one.close();
        progress.await("the second member to own everything", () -> two.assigned() == PARTITIONS);
        two.close();
        require(one.received() > 0 && two.received() > 0, "one member got everything");
        require(one.received() + two.received() == RECORDS, "records came twice");
        JavaGroupMember three = member(group, protocol, topic, progress);
        progress.await("the third member to own everything", () -> three.assigned() == PARTITIONS);
        produce(topic, "none", RECORDS, 10);
        progress.await("the third member to get what is new", () -> three.received() >= 10);
        three.close();
        require(three.received() == 10, "the third member got " + three.received() + " records instead of 10");
        System.out.println("shared partitions in a group: " + protocol);
    }

    private JavaGroupMember member(String group, String protocol, String topic, Progress progress) {
        return new JavaGroupMember(new KafkaConsumer<>(consumerConfig(group, protocol)), topic, progress);
    }

    private void createTopic(String topic) throws Exception {
        Properties config = new Properties();
        config.put("bootstrap.servers", bootstrap);
        try (AdminClient admin = AdminClient.create(config)) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .get(DEADLINE_MILLIS, TimeUnit.MILLISECONDS);
        }
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(consumerConfig(null, "classic"))) {
            // Asks the leaders themselves: Kafka answers the creation before its broker has heard of the topic.
            require(consumer.beginningOffsets(partitions(topic)).size() == PARTITIONS, "a partition is missing");
        }
    }

    private static List<TopicPartition> partitions(String topic) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            partitions.add(new TopicPartition(topic, p));
        }
        return partitions;
    }

    private void produce(String topic, String compression, int first, int count) throws Exception {
        Properties config = new Properties();
        config.put("bootstrap.servers", bootstrap);
        config.put("acks", "all");
        config.put("enable.idempotence", "true");
        config.put("compression.type", compression);
        config.put("linger.ms", "5");
        config.put("key.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        config.put("value.serializer", "org.apache.kafka.common.serialization.StringSerializer");
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(config)) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = first; i < first + count; i++) {
                String key = "key " + i;
                Header header = new RecordHeader("about", ("header of " + key).getBytes(StandardCharsets.UTF_8));
                sent.add(producer.send(new ProducerRecord<>(topic, null, null, key, value(key), List.of(header))));
            }
            for (Future<RecordMetadata> each : sent) {
                require(each.get(DEADLINE_MILLIS, TimeUnit.MILLISECONDS).offset() >= 0, "a record has no offset");
            }
        }
    }

    private Properties consumerConfig(@Nullable String group, String protocol) {
        Properties config = new Properties();
        config.put("bootstrap.servers", bootstrap);
        config.put("key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        config.put("value.deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        config.put("auto.offset.reset", "earliest");
        config.put("enable.auto.commit", "false");
        if (group != null) {
            config.put("group.id", group);
        }
        if (!protocol.equals("classic")) {
            config.put("group.protocol", protocol);
        }
        return config;
    }

    private static String value(String key) {
        return "value of " + key + ", long enough to be worth compressing. ".repeat(5);
    }

    /** Compares a record with what {@link #produce} sent. */
    static void verify(ConsumerRecord<String, String> record) {
        require(record.value().equals(value(record.key())), "Record " + record.key() + " has another value");
        Header header = record.headers().lastHeader("about");
        require(
                header != null
                        && new String(header.value(), StandardCharsets.UTF_8).equals("header of " + record.key()),
                "Record " + record.key() + " has lost its header");
    }

    /** poll(Duration) came with 2.0, poll(long) went with 4.0. */
    @SuppressWarnings("unchecked") // The type is known, reflection only does not say so.
    static ConsumerRecords<String, String> poll(KafkaConsumer<String, String> consumer) throws Exception {
        try {
            for (Method method : KafkaConsumer.class.getMethods()) {
                if (method.getName().equals("poll") && method.getParameterTypes()[0] == java.time.Duration.class) {
                    return (ConsumerRecords<String, String>) method.invoke(consumer, java.time.Duration.ofMillis(200));
                }
            }
            return (ConsumerRecords<String, String>)
                    KafkaConsumer.class.getMethod("poll", long.class).invoke(consumer, 200L);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("poll failed", e.getCause());
        }
    }

    static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }
}
