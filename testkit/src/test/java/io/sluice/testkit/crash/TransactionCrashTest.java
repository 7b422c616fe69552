package io.sluice.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real producers with transactional ids, and a node that is killed whatever they are at: each transaction is whole or not there. */
class TransactionCrashTest {
    private static final int PARTITIONS = 3;
    private static final int KILLS = 8;
    private static final int TIMEOUT_SECONDS = 60;
    private static final Duration POLL = Duration.ofMillis(500);

    @TempDir
    private Path directory;

    private BrokerUnderTest node;
    private Admin admin;

    @BeforeEach
    void start() throws Exception {
        node = SluiceNode.start(directory.resolve("out"), directory.resolve("data"), Map.of());
        admin = Admin.create(Map.of("bootstrap.servers", node.bootstrapServers()));
        admin.createTopics(List.of(new NewTopic("t", PARTITIONS, (short) 1)))
                .all()
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() throws Exception {
        admin.close();
        node.close();
    }

    private KafkaProducer<String, String> producer(String id) {
        KafkaProducer<String, String> producer = new KafkaProducer<>(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                node.bootstrapServers(),
                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                id,
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                30_000,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                30_000,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                5_000,
                ProducerConfig.LINGER_MS_CONFIG,
                0,
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                StringSerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                StringSerializer.class));
        producer.initTransactions();
        return producer;
    }

    private static void send(KafkaProducer<String, String> producer, String transaction) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            Future<?> unused = producer.send(new ProducerRecord<>("t", partition, transaction, "v"));
        }
    }

    /** A group of nobody in particular. */
    private ConsumerGroupMetadata groupMetadata() {
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                node.bootstrapServers(),
                ConsumerConfig.GROUP_ID_CONFIG,
                "g",
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                StringDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                StringDeserializer.class))) {
            return consumer.groupMetadata();
        }
    }

    /** For each transaction how many partitions show it to those who read what is committed. */
    private Map<String, Integer> committed() {
        Map<String, Integer> seen = new HashMap<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                node.bootstrapServers(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                StringDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                StringDeserializer.class))) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                partitions.add(new TopicPartition("t", partition));
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                    seen.merge(record.key(), 1, Integer::sum);
                }
            }
        }
        return seen;
    }

    @Test
    void showsWhatIsCommittedAndNothingThatIsAborted() throws Exception {
        try (KafkaProducer<String, String> producer = producer("id")) {
            producer.beginTransaction();
            send(producer, "first");
            producer.commitTransaction();
            producer.beginTransaction();
            send(producer, "second");
            producer.flush();
            producer.abortTransaction();
            producer.beginTransaction();
            send(producer, "third");
            producer.sendOffsetsToTransaction(
                    Map.of(new TopicPartition("t", 0), new OffsetAndMetadata(2)), groupMetadata());
            producer.commitTransaction();
        }

        assertThat(committed()).isEqualTo(Map.of("first", PARTITIONS, "third", PARTITIONS));
        assertThat(admin.listConsumerGroupOffsets("g")
                        .partitionsToOffsetAndMetadata()
                        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                .containsEntry(new TopicPartition("t", 0), new OffsetAndMetadata(2, Optional.empty(), ""));
    }

    @Test
    void fencesAProducerWhoseIdAnotherTakes() throws Exception {
        try (KafkaProducer<String, String> fenced = producer("id")) {
            fenced.beginTransaction();
            send(fenced, "fenced");
            fenced.flush();
            TransactionDescription open =
                    admin.describeTransactions(Set.of("id")).description("id").get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            assertThat(open.state()).isEqualTo(TransactionState.ONGOING);
            assertThat(open.topicPartitions()).hasSize(PARTITIONS);

            try (KafkaProducer<String, String> next = producer("id")) {
                assertThatThrownBy(fenced::commitTransaction).isInstanceOf(ProducerFencedException.class);
                next.beginTransaction();
                send(next, "next");
                next.commitTransaction();
            }
        }

        assertThat(committed()).isEqualTo(Map.of("next", PARTITIONS));
        assertThat(admin.listTransactions().all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                .singleElement()
                .satisfies(listing -> assertThat(listing.transactionalId()).isEqualTo("id"));
    }

    @Test
    void eachTransactionIsWholeOrNotThereWheneverTheNodeIsKilled() throws Exception {
        Random random = new Random(7);
        Set<String> acknowledged = new TreeSet<>();
        Set<String> aborted = new TreeSet<>();
        for (int kill = 0; kill < KILLS; kill++) {
            try (KafkaProducer<String, String> producer = producer("id")) {
                int before = random.nextInt(20);
                for (int number = 0; number < before; number++) {
                    transact(producer, kill + "-" + number, random.nextInt(4) > 0, acknowledged, aborted);
                }
                String cut = kill + "-cut";
                producer.beginTransaction();
                send(producer, cut);
                if (random.nextBoolean()) {
                    producer.flush();
                }
                killWhileItCommits(producer, cut, acknowledged);
            }
        }

        // Nothing of the last one stays open once its id is taken up again.
        producer("id").close(Duration.ZERO);
        assertThat(ends(IsolationLevel.READ_COMMITTED)).isEqualTo(ends(IsolationLevel.READ_UNCOMMITTED));
        Map<String, Integer> seen = committed();

        assertThat(seen.keySet()).containsAll(acknowledged).doesNotContainAnyElementsOf(aborted);
        assertThat(seen.values()).containsOnly(PARTITIONS);
    }

    /** Up to where readers of this kind may read; what is committed must not be kept from them by what has ended. */
    private Map<TopicPartition, Long> ends(IsolationLevel isolation) throws Exception {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            latest.put(new TopicPartition("t", partition), OffsetSpec.latest());
        }
        Map<TopicPartition, Long> ends = new HashMap<>();
        admin.listOffsets(latest, new ListOffsetsOptions(isolation))
                .all()
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    private static void transact(
            KafkaProducer<String, String> producer,
            String name,
            boolean commit,
            Set<String> acknowledged,
            Set<String> aborted) {
        producer.beginTransaction();
        send(producer, name);
        if (commit) {
            producer.commitTransaction();
            acknowledged.add(name);
        } else {
            producer.flush();
            producer.abortTransaction();
            aborted.add(name);
        }
    }

    private void killWhileItCommits(KafkaProducer<String, String> producer, String name, Set<String> acknowledged)
            throws Exception {
        Commit commit = new Commit(producer);
        Thread committing = new Thread(commit, "committing");
        committing.start();
        node.kill9();
        node.start();
        committing.join(TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
        assertThat(committing.isAlive()).isFalse();
        if (commit.done) {
            acknowledged.add(name);
        }
    }

    /** One that may fail: then nobody knows. */
    private static final class Commit implements Runnable {
        private final KafkaProducer<String, String> producer;
        private volatile boolean done;

        Commit(KafkaProducer<String, String> producer) {
            this.producer = producer;
        }

        @Override
        public void run() {
            try {
                producer.commitTransaction();
                done = true;
            } catch (KafkaException e) {
                done = false;
            }
        }
    }
}
