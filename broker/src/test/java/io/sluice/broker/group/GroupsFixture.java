package io.sluice.broker.group;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SystemClock;
import io.sluice.base.time.SystemScheduler;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import io.sluice.broker.share.ShareStateHandlers;
import io.sluice.coordinator.library.LibraryGroups;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.share.LibraryShareState;
import io.sluice.coordinator.share.PatientShareState;
import io.sluice.coordinator.share.StatePersister;
import io.sluice.coordinator.transaction.NoTransactions;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.GroupConfigKeys;
import io.sluice.storage.config.TopicDefaults;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

/** The group handlers behind sockets, on logs in memory and real clocks. */
final class GroupsFixture implements AutoCloseable {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** Rebalances at once, and heartbeats often enough for a test. */
    private static final Map<String, String> CONFIG = Map.of(
            GroupConfigKeys.INITIAL_REBALANCE_DELAY_MS.name(),
            "0",
            GroupConfigKeys.CONSUMER_MIN_HEARTBEAT_MS.name(),
            "200",
            GroupConfigKeys.CONSUMER_HEARTBEAT_MS.name(),
            "200");

    final InMemoryCluster cluster = new InMemoryCluster();
    private final ExecutorService background = Executors.newFixedThreadPool(2);
    private final SystemScheduler scheduler =
            new SystemScheduler(SystemClock.INSTANCE, task -> new Thread(task, "groups-timer"));
    private final LibraryShareState shares;
    private final LibraryGroups groups;
    private final BrokerFixture broker;

    GroupsFixture() {
        CoordinatorEnvironment environment = new CoordinatorEnvironment(
                BrokerConfigKeys.SCHEMA.read(CONFIG),
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
        shares = new LibraryShareState(environment);
        groups = new LibraryGroups(
                environment,
                new NoTransactions(),
                new StatePersister(new PatientShareState(shares, SystemClock.INSTANCE, scheduler, background)));
        List<ApiHandler<?>> handlers =
                new ArrayList<>(GroupHandlers.all(groups, new NoTransactions(), shares, cluster, this::node));
        handlers.addAll(ShareGroupHandlers.all(groups, cluster));
        handlers.addAll(ShareStateHandlers.all(shares));
        handlers.addAll(ClusterHandlers.all(cluster, this::port, scheduler));
        broker = BrokerFixture.start(handlers.toArray(ApiHandler<?>[]::new));
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

    /** Calls until the coordinator has loaded. */
    static <T extends AbstractResponse> T settled(
            RawClient client, AbstractRequest request, Class<T> type, ToIntFunction<T> errorCode) throws IOException {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        T answer = client.call(request, type);
        while (isLoading(errorCode.applyAsInt(answer)) && System.nanoTime() < deadline) {
            answer = client.call(request, type);
        }
        return answer;
    }

    private static boolean isLoading(int code) {
        return code == Errors.COORDINATOR_LOAD_IN_PROGRESS.code() || code == Errors.NOT_COORDINATOR.code();
    }

    @Override
    public void close() {
        broker.close();
        groups.close();
        shares.close();
        scheduler.close();
        background.shutdown();
    }
}
