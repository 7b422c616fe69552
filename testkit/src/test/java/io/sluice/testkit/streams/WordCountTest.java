package io.sluice.testkit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.command.CommandRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real application of Kafka Streams, with exactly-once, through a kill -9 and restart of the node. */
class WordCountTest {
    private static final int PARTITIONS = 3;
    private static final int LINES_EACH_TIME = 1_000;
    private static final int WORDS_IN_A_LINE = 3;
    private static final int DIFFERENT_WORDS = 40;
    private static final int TIMEOUT_SECONDS = 50;
    private static final Duration POLL = Duration.ofMillis(200);

    @TempDir
    private Path directory;

    private BrokerUnderTest node;
    private Admin admin;
    private final Random random = new Random(11);
    private final Map<String, Long> sent = new HashMap<>();
    private final Map<String, List<Long>> counted = new HashMap<>();

    @BeforeEach
    void start() throws Exception {
        node = SluiceNode.start(
                directory.resolve("out"),
                directory.resolve("data"),
                Map.of(
                        "group.initial.rebalance.delay.ms", "0",
                        "group.streams.initial.rebalance.delay.ms", "0",
                        "group.streams.min.heartbeat.interval.ms", "300",
                        "group.streams.heartbeat.interval.ms", "300"));
        admin = Admin.create(Map.of("bootstrap.servers", node.bootstrapServers()));
        admin.createTopics(List.of(
                        new NewTopic(WordCount.LINES, PARTITIONS, (short) 1),
                        new NewTopic(WordCount.COUNTS, PARTITIONS, (short) 1)))
                .all()
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() throws Exception {
        admin.close();
        node.close();
    }

    private KafkaProducer<String, String> producer() {
        return new KafkaProducer<>(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                node.bootstrapServers(),
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                StringSerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                StringSerializer.class));
    }

    /** What was counted for good, from the start. */
    private KafkaConsumer<String, Long> reader() {
        KafkaConsumer<String, Long> reader = new KafkaConsumer<>(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                node.bootstrapServers(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                StringDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                LongDeserializer.class));
        List<TopicPartition> partitions = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            partitions.add(new TopicPartition(WordCount.COUNTS, partition));
        }
        reader.assign(partitions);
        reader.seekToBeginning(partitions);
        return reader;
    }

    /** Sends lines and does not wait for them. */
    private List<Future<?>> send(KafkaProducer<String, String> producer) {
        List<Future<?>> sends = new ArrayList<>();
        for (int line = 0; line < LINES_EACH_TIME; line++) {
            List<String> words = new ArrayList<>();
            for (int i = 0; i < WORDS_IN_A_LINE; i++) {
                words.add("word-" + random.nextInt(DIFFERENT_WORDS));
            }
            words.forEach(word -> sent.merge(word, 1L, Long::sum));
            sends.add(producer.send(new ProducerRecord<>(WordCount.LINES, String.join(" ", words))));
        }
        return sends;
    }

    private long countedWords() {
        return counted.values().stream().mapToLong(List::size).sum();
    }

    private void readUntilCounted(KafkaConsumer<String, Long> reader, long words) {
        long deadlineNanos = SystemClock.INSTANCE.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (countedWords() < words && SystemClock.INSTANCE.nanoTime() - deadlineNanos < 0) {
            read(reader);
        }
        assertThat(countedWords()).as(node.lastOutput()).isGreaterThanOrEqualTo(words);
    }

    private void read(KafkaConsumer<String, Long> reader) {
        for (ConsumerRecord<String, Long> record : reader.poll(POLL)) {
            counted.computeIfAbsent(record.key(), word -> new ArrayList<>()).add(record.value());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"streams", "classic"})
    void countsEachWordOnceAlthoughTheNodeIsKilled(String protocol) throws Exception {
        String id = "app-" + protocol;
        try (WordCount application = new WordCount(id, protocol, node.bootstrapServers(), directory.resolve("state"));
                KafkaProducer<String, String> producer = producer();
                KafkaConsumer<String, Long> reader = reader()) {
            send(producer);
            readUntilCounted(reader, 1);
            List<Future<?>> cutOff = send(producer);
            node.kill9();
            node.start();
            for (Future<?> each : cutOff) {
                each.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            }
            send(producer);
            readUntilCounted(reader, 3L * LINES_EACH_TIME * WORDS_IN_A_LINE);
            checkGroup(id, protocol);
            application.end();
            Map<TopicPartition, Long> ends = reader.endOffsets(reader.assignment());
            while (ends.entrySet().stream().anyMatch(end -> reader.position(end.getKey()) < end.getValue())) {
                read(reader);
            }
        }

        assertThat(counted.keySet()).isEqualTo(sent.keySet());
        counted.forEach((word, counts) -> assertThat(counts)
                .as(word)
                .isEqualTo(LongStream.rangeClosed(1, sent.getOrDefault(word, 0L))
                        .boxed()
                        .toList()));
        for (String internal : List.of(id + "-words-repartition", id + "-totals-changelog")) {
            assertThat(describe(internal).partitions()).as(internal).hasSize(PARTITIONS);
        }
    }

    private TopicDescription describe(String topic) throws Exception {
        return Objects.requireNonNull(
                        admin.describeTopics(List.of(topic)).topicNameValues().get(topic))
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    /** As the commands show it. */
    private void checkGroup(String id, String protocol) {
        boolean streams = protocol.equals("streams");
        String type = streams ? "Streams" : "Classic";

        CommandRun listed = CommandRun.of("group", "list", "--bootstrap-server", node.bootstrapServers());
        CommandRun described = CommandRun.of("group", "describe", id, "--bootstrap-server", node.bootstrapServers());

        assertThat(listed.out())
                .as(listed.err())
                .contains(id + "\t" + type + "\t" + (streams ? "streams" : "consumer"));
        assertThat(described.out())
                .as(described.err())
                .startsWith("Group " + id + ": " + type + ", ")
                .contains("2 members", id + "\t" + WordCount.LINES + "\t0\t", "\t" + id + "-words-repartition\t0\t");
        assertThat(CommandRun.of("group", "delete", id, "--bootstrap-server", node.bootstrapServers())
                        .err())
                .contains("has members");
    }
}
