package io.sluice.broker.administration;

import io.sluice.base.concurrent.TimeLimit;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.time.SystemClock;
import io.sluice.base.time.SystemScheduler;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.simulation.InMemoryPartitionLogStore;
import io.sluice.broker.topic.DescribeLogDirsHandler.LogDirectory;
import io.sluice.coordinator.runtime.CatalogueTopics;
import io.sluice.storage.config.DynamicConfigs;
import io.sluice.storage.config.TopicDefaultKeys;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import io.sluice.storage.metadata.ClusterImages;
import io.sluice.storage.metadata.ConfigCatalogue;
import io.sluice.storage.metadata.InMemoryMetadataStore;
import io.sluice.storage.metadata.LocalOwnership;
import io.sluice.storage.metadata.PartitionLifecycle;
import io.sluice.storage.metadata.TopicCatalogue;
import io.sluice.storage.metadata.TopicCreator;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;

/** A node without storage behind real sockets: metadata and logs in memory, everything in between as it is served. */
final class AdministrationWorld implements AutoCloseable {
    static final int NODE_ID = 1;
    static final String CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAA";

    final InMemoryMetadataStore store;
    final ClusterImages images;
    final DynamicConfigs configs;
    final RecordingLoggers loggers = new RecordingLoggers();
    final LockedLogs logs = new LockedLogs();
    final BrokerFixture broker;
    final TopicCreator creator;
    private final ExecutorService metadataThread = Executors.newSingleThreadExecutor();
    private final SystemScheduler scheduler =
            new SystemScheduler(SystemClock.INSTANCE, task -> new Thread(task, "administration-timer"));

    AdministrationWorld(Map<String, String> staticTexts) {
        store = new InMemoryMetadataStore(metadataThread);
        images = new ClusterImages(store, metadataThread, CLUSTER_ID);
        await(images.load());
        configs = new DynamicConfigs(staticTexts, NODE_ID);
        configs.follow(images);
        LocalOwnership ownership = new LocalOwnership(images, NODE_ID, 0, metadataThread);
        PartitionLifecycle lifecycle = new PartitionLifecycle(logs, ownership, metadataThread);
        await(lifecycle.start(images));
        TopicCatalogue topics = new TopicCatalogue(
                store,
                images,
                TopicId::random,
                () -> configs.current().topicDefaults(),
                () -> configs.current().values().get(TopicDefaultKeys.MAX_PARTITIONS),
                1);
        creator = new TopicCreator(
                topics, lifecycle, new TimeLimit(scheduler, Runnable::run), TimeUnit.SECONDS.toNanos(10));
        BrokerDirectory directory = new BrokerDirectory();
        broker = BrokerFixture.start(AdministrationHandlers.all(new AdministrationEnvironment(
                        images,
                        ownership,
                        directory,
                        topics,
                        new ConfigCatalogue(store),
                        new CatalogueTopics(topics, images, lifecycle::whenServing, 1),
                        lifecycle,
                        logs,
                        configs,
                        loggers,
                        new FixedDirectory(),
                        new TimeLimit(scheduler, Runnable::run),
                        SystemClock.INSTANCE))
                .toArray(io.sluice.broker.api.ApiHandler<?>[]::new));
        directory.set(List.of(new BrokerDirectory.Broker(
                NODE_ID, Map.of("PLAINTEXT", new BrokerDirectory.Address("127.0.0.1", broker.port())), null)));
    }

    Admin admin() {
        return Admin.create(Map.of(
                "bootstrap.servers",
                "127.0.0.1:" + broker.port(),
                "request.timeout.ms",
                "10000",
                "default.api.timeout.ms",
                "10000"));
    }

    TopicImage requireTopic(String name) {
        TopicImage topic = images.current().topic(name);
        if (topic == null) {
            throw new AssertionError("there is no topic " + name);
        }
        return topic;
    }

    static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        broker.close();
        scheduler.close();
        metadataThread.shutdown();
    }

    private static final class FixedDirectory implements LogDirectory {
        @Override
        public String path() {
            return "/data";
        }

        @Override
        public long totalBytes() {
            return 1000;
        }

        @Override
        public long usableBytes() {
            return 400;
        }

        @Override
        public boolean isFailed() {
            return false;
        }
    }

    /** Logs that open only when told to, if wanted; and one lock around a store made for one thread. */
    static final class LockedLogs implements PartitionLogStore {
        private final InMemoryPartitionLogStore logs = new InMemoryPartitionLogStore();
        private final Map<PartitionId, Map<String, String>> configs = new HashMap<>();
        private boolean refusing;

        synchronized void refuseToOpen() {
            refusing = true;
        }

        synchronized Map<String, String> configsOf(PartitionId partition) {
            return configs.getOrDefault(partition, Map.of());
        }

        @Override
        public synchronized @Nullable PartitionLog find(PartitionId partition) {
            return logs.find(partition);
        }

        @Override
        public synchronized CompletionStage<PartitionLog> open(
                PartitionId partition, String topicName, long logId, int leaderEpoch, Map<String, String> own) {
            if (refusing) {
                return CompletableFuture.failedFuture(new IOException("the disk refuses"));
            }
            configs.put(partition, own);
            return logs.open(partition, topicName, logId, leaderEpoch, own);
        }

        @Override
        public synchronized void configure(PartitionId partition, Map<String, String> own) {
            configs.put(partition, own);
            logs.configure(partition, own);
        }

        @Override
        public synchronized void delete(PartitionId partition) {
            logs.delete(partition);
        }

        @Override
        public synchronized void awaitCapacity(Executor executor, Runnable task) {
            logs.awaitCapacity(executor, task);
        }

        @Override
        public void close() {
            logs.close();
        }
    }
}
