package io.sluice.broker.transaction;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SystemClock;
import io.sluice.base.time.SystemScheduler;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import io.sluice.broker.group.GroupHandlers;
import io.sluice.broker.producerid.InitProducerIdHandler;
import io.sluice.broker.producerid.ProducerIds;
import io.sluice.coordinator.library.LibraryGroups;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.runtime.TransactionEnd;
import io.sluice.coordinator.share.LibraryShareState;
import io.sluice.coordinator.share.PatientShareState;
import io.sluice.coordinator.share.StatePersister;
import io.sluice.coordinator.transaction.GroupOffsetPartitions;
import io.sluice.coordinator.transaction.LogTransactions;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.metadata.InMemoryMetadataStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/** The handlers of transactions behind sockets: a coordinator on logs in memory, and partitions that accept every marker. */
final class TransactionsFixture implements AutoCloseable {
    static final int MAX_TIMEOUT_MILLIS = 900_000;

    final InMemoryCluster cluster = new InMemoryCluster();
    final Queue<Marked> marked = new ConcurrentLinkedQueue<>();
    private final ExecutorService background = Executors.newFixedThreadPool(2);
    private final SystemScheduler scheduler =
            new SystemScheduler(SystemClock.INSTANCE, task -> new Thread(task, "transactions-timer"));
    private final LibraryShareState shares;
    private final LibraryGroups groups;
    private final LogTransactions transactions;
    private final BrokerFixture broker;

    /** A marker in a partition. */
    record Marked(TopicPartition partition, TransactionEnd end) {}

    TransactionsFixture() {
        CoordinatorEnvironment env = new CoordinatorEnvironment(
                BrokerConfigKeys.SCHEMA.read(Map.of()),
                SystemClock.INSTANCE,
                scheduler,
                background,
                cluster,
                () -> TopicDefaults.NONE,
                cluster,
                cluster,
                cluster,
                UnpooledByteBufAllocator.DEFAULT,
                new Metrics());
        ProducerIds ids = new ProducerIds(new InMemoryMetadataStore(Runnable::run));
        transactions = new LogTransactions(
                env,
                (end, partition) -> {
                    marked.add(new Marked(partition, end));
                    return CompletableFuture.completedStage(Errors.NONE);
                },
                ids::take,
                group -> new GroupOffsetPartitions(this.groups(), cluster).find(group));
        shares = new LibraryShareState(env);
        groups = new LibraryGroups(
                env,
                transactions,
                new StatePersister(new PatientShareState(shares, SystemClock.INSTANCE, scheduler, background)));
        List<ApiHandler<?>> handlers = new ArrayList<>(TransactionHandlers.all(transactions, cluster));
        handlers.add(new InitProducerIdHandler(ids, transactions, MAX_TIMEOUT_MILLIS));
        handlers.addAll(GroupHandlers.all(groups, transactions, shares, cluster, this::node));
        broker = BrokerFixture.start(handlers.toArray(ApiHandler<?>[]::new));
    }

    private LibraryGroups groups() {
        return groups;
    }

    private Node node(int nodeId, String listenerName) {
        return new Node(nodeId, "127.0.0.1", broker.port());
    }

    RawClient connect() throws IOException {
        return broker.connect();
    }

    int port() {
        return broker.port();
    }

    @Override
    public void close() {
        broker.close();
        transactions.close();
        groups.close();
        shares.close();
        scheduler.close();
        background.shutdown();
    }
}
