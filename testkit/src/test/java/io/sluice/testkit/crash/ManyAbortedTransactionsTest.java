package io.sluice.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.command.AdminPage;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.NamedThreads;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * More aborted transactions in one partition than its log keeps in memory: those in files are told to consumers as well, before
 * and after a kill -9, and after the log has lost its beginning.
 */
@Timeout(180)
class ManyAbortedTransactionsTest {
    private static final String TOPIC = "t";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    /** A log keeps up to two pieces of 4,096 in memory, and then writes files: from there on the node is to be killed. */
    private static final int ABORTS_IN_MEMORY = 2 * 4_096;

    private static final int ABORTS_AFTER_THE_KILL = 200;

    private static final int COMMITS_EACH = 8;
    private static final int FILLERS = 5;
    private static final int FILLER_BYTES = 100_000;
    private static final int WRITERS = 6;
    /** One is busy with its end while the others write. */
    private static final int PRODUCERS_OF_A_WRITER = 5;

    private static final int TIMEOUT_SECONDS = 60;
    private static final Duration POLL = Duration.ofMillis(200);

    private final Set<String> committed = ConcurrentHashMap.newKeySet();
    private final Set<String> aborted = ConcurrentHashMap.newKeySet();
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();

    private final AtomicInteger goal = new AtomicInteger(Integer.MAX_VALUE);

    @TempDir
    private Path directory;

    private BrokerUnderTest node;
    private Admin admin;

    @BeforeEach
    void start() throws Exception {
        node = SluiceNode.start(
                directory.resolve("out"),
                directory.resolve("data"),
                Map.of("sluice.journal.checkpoint.bytes", "1048576"));
        admin = Admin.create(Map.of("bootstrap.servers", node.bootstrapServers()));
        admin.createTopics(List.of(
                        new NewTopic(TOPIC, 1, (short) 1).configs(Map.of("segment.bytes", "1048576")),
                        new NewTopic("filler", 1, (short) 1)))
                .all()
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() throws Exception {
        admin.close();
        node.close();
    }

    // ---- Writing

    /** Ends transactions until enough are aborted, whatever happens to the node. */
    private final class Writer implements Runnable {
        private final int number;
        private final List<KafkaProducer<String, String>> producers = new ArrayList<>();
        private int transactions;

        Writer(int number) {
            this.number = number;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < PRODUCERS_OF_A_WRITER; i++) {
                    producers.add(producer(i));
                }
                while (aborted.size() < goal.get()) {
                    transact(transactions++);
                }
            } finally {
                producers.forEach(producer -> producer.close(Duration.ZERO));
            }
        }

        private void transact(int transaction) {
            int place = transaction % PRODUCERS_OF_A_WRITER;
            String key = number + "-" + transaction;
            boolean commits = transaction % COMMITS_EACH == 0;
            KafkaProducer<String, String> producer = producers.get(place);
            try {
                producer.beginTransaction();
                Future<?> unused = producer.send(new ProducerRecord<>(TOPIC, 0, key, "v"));
                producer.flush();
                if (commits) {
                    producer.commitTransaction();
                } else {
                    producer.abortTransaction();
                }
                (commits ? committed : aborted).add(key);
            } catch (KafkaException e) {
                // The node was killed: what became of it nobody knows, and the next one takes up the id.
                unknown.add(key);
                producer.close(Duration.ZERO);
                producers.set(place, producer(place));
            }
        }

        private KafkaProducer<String, String> producer(int place) {
            KafkaProducer<String, String> producer = new KafkaProducer<>(Map.of(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    node.bootstrapServers(),
                    ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                    "id-" + number + "-" + place,
                    ProducerConfig.LINGER_MS_CONFIG,
                    0,
                    ProducerConfig.RETRY_BACKOFF_MS_CONFIG,
                    10,
                    ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                    200,
                    ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                    StringSerializer.class,
                    ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                    StringSerializer.class));
            producer.initTransactions();
            return producer;
        }
    }

    // ---- Reading

    private KafkaConsumer<String, String> consumer(String isolation) {
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                node.bootstrapServers(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                isolation,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                StringDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                StringDeserializer.class));
        consumer.assign(List.of(PARTITION));
        return consumer;
    }

    /** Offset and key of all that a consumer sees from where it stands to where the log ends for it. */
    private static Map<Long, String> readToEnd(KafkaConsumer<String, String> consumer) {
        Map<Long, String> seen = new HashMap<>();
        long end = end(consumer);
        while (consumer.position(PARTITION) < end) {
            for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                assertThat(seen.put(record.offset(), record.key())).isNull();
            }
        }
        return seen;
    }

    private Map<Long, String> readAll(String isolation) {
        try (KafkaConsumer<String, String> consumer = consumer(isolation)) {
            return readToEnd(consumer);
        }
    }

    private long end(String isolation) {
        try (KafkaConsumer<String, String> consumer = consumer(isolation)) {
            return end(consumer);
        }
    }

    private static long end(KafkaConsumer<String, String> consumer) {
        return Objects.requireNonNull(consumer.endOffsets(List.of(PARTITION)).get(PARTITION));
    }

    /** They are written after the answer to the client. */
    private void awaitLastMarkers() throws Exception {
        Await.until(
                "the last markers",
                Duration.ofSeconds(10),
                () -> end("read_uncommitted") - end("read_committed"),
                open -> open == 0);
    }

    private void checkIsWhatWasCommitted(Map<Long, String> seen) {
        assertThat(seen.values()).doesNotHaveDuplicates();
        Set<String> keys = new HashSet<>(seen.values());
        assertThat(keys).doesNotContainAnyElementsOf(aborted).containsAll(committed);
        keys.removeAll(committed);
        assertThat(unknown).containsAll(keys);
    }

    /** Of the one partition. */
    private List<Path> filesOfAborted() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> logs =
                Files.newDirectoryStream(directory.resolve("data").resolve("logs"), "*-" + TOPIC + "-0")) {
            for (Path log : logs) {
                try (DirectoryStream<Path> found = Files.newDirectoryStream(log, "*.aborted")) {
                    found.forEach(files::add);
                }
            }
        }
        return files;
    }

    private long checkpoints() throws IOException {
        return (long) AdminPage.get(node.adminAddress(), "/metrics").series("sluice_log_checkpoints_total");
    }

    /** Until one is complete that began after now. */
    private void writeUntilTheNextCheckpoint() throws Exception {
        long before = checkpoints();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, node.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            Await.until(
                    "a checkpoint",
                    Duration.ofSeconds(20),
                    () -> {
                        for (int i = 0; i < FILLERS; i++) {
                            Future<?> unused = producer.send(new ProducerRecord<>("filler", new byte[FILLER_BYTES]));
                        }
                        producer.flush();
                        return checkpoints();
                    },
                    now -> now >= before + 2);
        }
    }

    @Test
    void consumersSeeWhatIsCommittedAndNothingElse() throws Exception {
        ExecutorService threads = NamedThreads.pool("writers", WRITERS);
        Map<Long, String> tail = new HashMap<>();
        try (KafkaConsumer<String, String> tailing = consumer("read_committed")) {
            CompletableFuture<?>[] writers = Stream.iterate(0, number -> number + 1)
                    .limit(WRITERS)
                    .map(number -> CompletableFuture.runAsync(new Writer(number), threads))
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture<Void> written = CompletableFuture.allOf(writers);
            long checkpoints = Long.MAX_VALUE;
            while (checkpoints() <= checkpoints && !written.isDone()) {
                tailing.poll(POLL).forEach(record -> tail.put(record.offset(), record.key()));
                if (checkpoints == Long.MAX_VALUE && !filesOfAborted().isEmpty()) {
                    // A start knows the file once the checkpoint that has written it is complete.
                    checkpoints = checkpoints();
                }
            }
            assertThat(written).as("what is written when the node is killed").isNotDone();
            // The last of each producer may have ended without its knowing.
            assertThat(aborted).hasSizeGreaterThanOrEqualTo(ABORTS_IN_MEMORY - WRITERS * PRODUCERS_OF_A_WRITER);
            goal.set(aborted.size() + ABORTS_AFTER_THE_KILL);
            node.kill9();
            node.start();
            written.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            awaitLastMarkers();
            tail.putAll(readToEnd(tailing));
        } finally {
            threads.shutdownNow();
        }
        writeUntilTheNextCheckpoint();
        Map<Long, String> all = readAll("read_committed");
        checkIsWhatWasCommitted(all);
        assertThat(tail).as("read while it was written").isEqualTo(all);
        assertThat(new HashSet<>(readAll("read_uncommitted").values()))
                .as("in the log")
                .containsAll(aborted);

        node.kill9();
        node.start();
        assertThat(filesOfAborted()).isNotEmpty();
        assertThat(readAll("read_committed")).as("after another kill").isEqualTo(all);

        long middle =
                all.keySet().stream().sorted().skip(all.size() / 2).findFirst().orElseThrow();
        admin.deleteRecords(Map.of(PARTITION, RecordsToDelete.beforeOffset(middle)))
                .all()
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        assertThat(readAll("read_committed"))
                .as("after the log has lost its beginning")
                .isEqualTo(all.entrySet().stream()
                        .filter(record -> record.getKey() >= middle)
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }
}
