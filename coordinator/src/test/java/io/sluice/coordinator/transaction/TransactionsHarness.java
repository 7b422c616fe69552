package io.sluice.coordinator.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.config.ConfigSchema;
import io.sluice.base.metric.Metrics;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.CoordinatorLife;
import io.sluice.coordinator.runtime.CoordinatorLocation;
import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.runtime.InMemoryLog;
import io.sluice.coordinator.runtime.SteppedTime;
import io.sluice.storage.config.TransactionKeys;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.Errors;

/** One node's transactions over logs in memory, with clocks that move only when told to, and words to speak to them with. */
final class TransactionsHarness implements AutoCloseable {
    static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);
    static final short FIRST_GENERATION_VERSION = 4;
    static final short SECOND_GENERATION_VERSION = 5;
    static final TopicPartition OFFSETS = new TopicPartition("__consumer_offsets", 3);
    static final int TIMEOUT_MILLIS = 60_000;

    final SteppedTime time;
    final InMemoryCluster cluster;
    final ScriptedMarkers markers;
    final LogTransactions transactions;
    final Metrics metrics = new Metrics();
    private final AtomicLong nextProducerId;
    private final Map<String, String> configs;
    private final ExecutorService background = new ThreadPoolExecutor(
            2, 2, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new ThreadPoolExecutor.DiscardPolicy());

    TransactionsHarness() {
        this(Map.of());
    }

    TransactionsHarness(Map<String, String> configs) {
        this(new InMemoryCluster(), new SteppedTime(), new ScriptedMarkers(), new AtomicLong(1000), configs);
    }

    TransactionsHarness(
            InMemoryCluster cluster,
            SteppedTime time,
            ScriptedMarkers markers,
            AtomicLong nextProducerId,
            Map<String, String> configs) {
        this(cluster, time, markers, markers, nextProducerId, configs);
    }

    /** Markers go elsewhere. */
    TransactionsHarness(
            InMemoryCluster cluster,
            SteppedTime time,
            TransactionMarkers target,
            AtomicLong nextProducerId,
            Map<String, String> configs) {
        this(cluster, time, new ScriptedMarkers(), target, nextProducerId, configs);
    }

    private TransactionsHarness(
            InMemoryCluster cluster,
            SteppedTime time,
            ScriptedMarkers markers,
            TransactionMarkers target,
            AtomicLong nextProducerId,
            Map<String, String> configs) {
        this.cluster = cluster;
        this.time = time;
        this.markers = markers;
        this.nextProducerId = nextProducerId;
        this.configs = configs;
        this.transactions = new LogTransactions(
                new CoordinatorEnvironment(
                        ConfigSchema.of(TransactionKeys.ALL).read(configs),
                        time,
                        time,
                        background,
                        cluster,
                        cluster::topicDefaults,
                        cluster,
                        cluster,
                        cluster,
                        UnpooledByteBufAllocator.DEFAULT,
                        metrics),
                target,
                receiver -> receiver.accept(nextProducerId.getAndIncrement()),
                group -> CompletableFuture.completedFuture(OFFSETS));
    }

    /** A node that came back with what had been durable; the partitions and their markers are the same. */
    TransactionsHarness restart() {
        close();
        return new TransactionsHarness(cluster.restarted(), time, markers, nextProducerId, configs);
    }

    static TopicPartition partition(int number) {
        return new TopicPartition("t", number);
    }

    InMemoryLog logOf(String id) {
        int partitions = Objects.requireNonNull(cluster.current().topic("__transaction_state"))
                .partitions()
                .size();
        return cluster.log("__transaction_state", CoordinatorLife.partitionOf(id, partitions));
    }

    void locate(String id) {
        assertThat(await(transactions.locate(id))).isEqualTo(new CoordinatorLocation.At(InMemoryCluster.NODE_ID));
    }

    /** Asks again while the coordinator loads. */
    <T> T settled(Supplier<CompletionStage<T>> question, Function<T, Errors> error) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (System.nanoTime() < deadline) {
            T answer = await(question.get());
            Errors said = error.apply(answer);
            if (said != Errors.COORDINATOR_LOAD_IN_PROGRESS && said != Errors.NOT_COORDINATOR) {
                return answer;
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("the coordinator never finished loading");
    }

    /** A producer that begins, once what was open has ended. */
    Producer begin(String id) {
        locate(id);
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        InitProducerIdResponseData answer = init(id, -1, -1);
        while (answer.errorCode() == Errors.CONCURRENT_TRANSACTIONS.code() && System.nanoTime() < deadline) {
            answer = init(id, -1, -1);
        }
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NONE);
        return new Producer(id, answer.producerId(), answer.producerEpoch());
    }

    InitProducerIdResponseData init(String id, long producerId, int epoch) {
        return settled(
                () -> transactions.initProducerId(new InitProducerIdRequestData()
                        .setTransactionalId(id)
                        .setTransactionTimeoutMs(TIMEOUT_MILLIS)
                        .setProducerId(producerId)
                        .setProducerEpoch((short) epoch)),
                answer -> Errors.forCode(answer.errorCode()));
    }

    Errors initError(String id, long producerId, int epoch) {
        return Errors.forCode(init(id, producerId, epoch).errorCode());
    }

    CompletionStage<Map<TopicPartition, Errors>> addLater(
            Producer producer, boolean verifyOnly, int version, TopicPartition... partitions) {
        AddPartitionsToTxnTopicCollection topics = new AddPartitionsToTxnTopicCollection();
        List.of(partitions).stream()
                .collect(Collectors.groupingBy(TopicPartition::topic))
                .forEach((topic, theirs) -> topics.add(new AddPartitionsToTxnTopic()
                        .setName(topic)
                        .setPartitions(
                                theirs.stream().map(TopicPartition::partition).toList())));
        return transactions.addPartitions(
                new AddPartitionsToTxnTransaction()
                        .setTransactionalId(producer.id())
                        .setProducerId(producer.producerId())
                        .setProducerEpoch(producer.epoch())
                        .setVerifyOnly(verifyOnly)
                        .setTopics(topics),
                (short) version);
    }

    /** The same error for all. */
    Errors add(Producer producer, TopicPartition... partitions) {
        Map<TopicPartition, Errors> answers = settled(
                () -> addLater(producer, false, FIRST_GENERATION_VERSION - 1, partitions), TransactionsHarness::any);
        assertThat(answers).containsOnlyKeys(partitions);
        assertThat(answers.values().stream().distinct()).hasSize(1);
        return any(answers);
    }

    /** As a log does for clients of the second generation. */
    Errors touch(Producer producer, TopicPartition... partitions) {
        return any(settled(
                () -> transactions.verify(
                        producer.id(), producer.producerId(), producer.epoch(), List.of(partitions), true),
                TransactionsHarness::any));
    }

    Map<TopicPartition, Errors> verify(Producer producer, TopicPartition... partitions) {
        return settled(
                () -> transactions.verify(
                        producer.id(), producer.producerId(), producer.epoch(), List.of(partitions), false),
                TransactionsHarness::any);
    }

    static Errors any(Map<TopicPartition, Errors> answers) {
        return answers.values().iterator().next();
    }

    Errors addOffsets(Producer producer, String group) {
        return settled(
                () -> transactions.addOffsets(new AddOffsetsToTxnRequestData()
                        .setTransactionalId(producer.id())
                        .setProducerId(producer.producerId())
                        .setProducerEpoch(producer.epoch())
                        .setGroupId(group)),
                Function.identity());
    }

    CompletionStage<EndTxnResponseData> endLater(Producer producer, boolean commit, int version) {
        return transactions.endTransaction(
                new EndTxnRequestData()
                        .setTransactionalId(producer.id())
                        .setProducerId(producer.producerId())
                        .setProducerEpoch(producer.epoch())
                        .setCommitted(commit),
                (short) version);
    }

    EndTxnResponseData end(Producer producer, boolean commit, int version) {
        return settled(() -> endLater(producer, commit, version), answer -> Errors.forCode(answer.errorCode()));
    }

    /** By a client of the first generation. */
    Errors end(Producer producer, boolean commit) {
        return Errors.forCode(end(producer, commit, FIRST_GENERATION_VERSION).errorCode());
    }

    /** By a client of the second generation, which goes on with the answer. */
    Producer endRaised(Producer producer, boolean commit) {
        EndTxnResponseData answer = end(producer, commit, SECOND_GENERATION_VERSION);
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NONE);
        return new Producer(producer.id(), answer.producerId(), answer.producerEpoch());
    }

    Errors endRaisedError(Producer producer, boolean commit) {
        return Errors.forCode(end(producer, commit, SECOND_GENERATION_VERSION).errorCode());
    }

    DescribeTransactionsResponseData.TransactionState describe(String id) {
        return settled(
                        () -> transactions.describe(List.of(id)),
                        answer -> Errors.forCode(answer.get(0).errorCode()))
                .get(0);
    }

    ListTransactionsResponseData list(ListTransactionsRequestData request) {
        return settled(() -> transactions.list(request), answer -> Errors.forCode(answer.errorCode()));
    }

    /** Waits until the id is in this state. */
    void awaitState(String id, String state) {
        until(() -> describe(id).transactionState().equals(state), () -> id + " is in " + describe(id));
    }

    /** Passes time, in steps that timers have a chance to fire in, until it is so. */
    void passTimeUntil(BooleanSupplier condition, long stepMillis) {
        until(
                () -> {
                    time.advanceMillis(stepMillis);
                    return condition.getAsBoolean();
                },
                () -> "it never came to be");
    }

    static void until(BooleanSupplier condition, Supplier<String> message) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError(message.get());
            }
            Thread.onSpinWait();
        }
    }

    static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(TIMEOUT_NANOS, TimeUnit.NANOSECONDS)
                .join();
    }

    @Override
    public void close() {
        transactions.close();
        background.shutdown();
    }

    /** Who a client is. */
    record Producer(String id, long producerId, short epoch) {
        Producer withEpoch(int other) {
            return new Producer(id, producerId, (short) other);
        }
    }
}
