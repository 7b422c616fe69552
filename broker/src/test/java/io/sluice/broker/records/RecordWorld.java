package io.sluice.broker.records;

import io.sluice.base.concurrent.TimeLimit;
import io.sluice.base.id.TopicId;
import io.sluice.base.memory.CountedAllocator;
import io.sluice.base.metadata.MetadataStore;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metric.Metrics;
import io.sluice.base.ownership.Ownership;
import io.sluice.base.time.SystemClock;
import io.sluice.base.time.SystemScheduler;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.broker.fetch.FetchHandler;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.metadata.MetadataHandler;
import io.sluice.broker.offset.ListOffsetsHandler;
import io.sluice.broker.offset.OffsetForLeaderEpochHandler;
import io.sluice.broker.produce.ProduceHandler;
import io.sluice.broker.producerid.InitProducerIdHandler;
import io.sluice.broker.producerid.ProducerIds;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.broker.topic.AutoTopicCreation;
import io.sluice.coordinator.runtime.CatalogueTopics;
import io.sluice.coordinator.transaction.NoTransactions;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.LocalFileSystem;
import io.sluice.storage.journal.FlushThread;
import io.sluice.storage.journal.JournalConfig;
import io.sluice.storage.journal.JournalDirectory;
import io.sluice.storage.journal.JournalResources;
import io.sluice.storage.local.DataDirectory;
import io.sluice.storage.local.LocalPartitionLogStore;
import io.sluice.storage.local.LocalStorageConfig;
import io.sluice.storage.local.LocalStorageServices;
import io.sluice.storage.metadata.ClusterImages;
import io.sluice.storage.metadata.GivenNumbers;
import io.sluice.storage.metadata.InMemoryMetadataStore;
import io.sluice.storage.metadata.LocalOwnership;
import io.sluice.storage.metadata.NewTopic;
import io.sluice.storage.metadata.PartitionLifecycle;
import io.sluice.storage.metadata.TopicCatalogue;
import io.sluice.storage.metadata.TopicCreator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;

/**
 * The handlers that move records, behind real sockets and over the local engine in a directory; metadata in memory. Real
 * clients can use it. Closing it checks that all direct memory has come back.
 */
final class RecordWorld implements AutoCloseable {
    private static final int NODE_ID = 1;
    private static final int FETCH_MAX_BYTES = 57671680;
    private static final int SESSION_SLOTS = 1000;
    private static final long SERVING_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final String CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg";
    private static final long MEMORY_BYTES = 320L << 20;

    final Metrics metrics = new Metrics();
    final BrokerFixture broker;
    final LocalPartitionLogStore logs;

    private final ExecutorService metadataThread = Executors.newSingleThreadExecutor();
    private final ExecutorService readers = Executors.newFixedThreadPool(2);
    private final ExecutorService maintenance = Executors.newFixedThreadPool(2);
    private final SystemScheduler scheduler =
            new SystemScheduler(SystemClock.INSTANCE, task -> new Thread(task, "record-world-timer"));
    private final CountedAllocator allocator = new CountedAllocator(MEMORY_BYTES, MEMORY_BYTES / 10, 2);
    private final ClusterImages images;
    private final TopicCatalogue topics;
    private final PartitionLifecycle lifecycle;

    RecordWorld(Path directory) throws IOException {
        this(directory, Map.of());
    }

    /** Begins with settings of the front. */
    RecordWorld(Path directory, Map<String, String> frontConfig) throws IOException {
        InMemoryMetadataStore store = new InMemoryMetadataStore(metadataThread);
        images = new ClusterImages(store, metadataThread, CLUSTER);
        await(images.load());
        logs = openLogs(directory);
        LocalOwnership ownership = new LocalOwnership(images, NODE_ID, 0, metadataThread);
        lifecycle = new PartitionLifecycle(logs, ownership, metadataThread);
        await(lifecycle.start(images));
        topics = new TopicCatalogue(
                store, images, TopicId::random, () -> TopicDefaults.NONE, () -> Integer.MAX_VALUE, 1);
        BrokerDirectory brokers = new BrokerDirectory();
        List<ApiHandler<?>> handlers = recordHandlers(store, ownership);
        CatalogueTopics catalogueTopics = new CatalogueTopics(topics, images, lifecycle::whenServing, 1);
        handlers.add(new MetadataHandler(
                images,
                ownership,
                brokers,
                new AutoTopicCreation(
                        new TopicCreator(topics, lifecycle, new TimeLimit(scheduler, Runnable::run), SERVING_NANOS),
                        catalogueTopics,
                        () -> BrokerConfigKeys.SCHEMA.read(Map.of("auto.create.topics.enable", "false")),
                        1)));
        broker = BrokerFixture.options()
                .config(frontConfig)
                .memory(MEMORY_BYTES)
                .start(handlers.toArray(ApiHandler<?>[]::new));
        brokers.set(List.of(new BrokerDirectory.Broker(
                NODE_ID, Map.of("PLAINTEXT", new BrokerDirectory.Address("127.0.0.1", broker.port())), null)));
    }

    private List<ApiHandler<?>> recordHandlers(MetadataStore store, Ownership ownership) {
        ServedTopics served = new ServedTopics(images, () -> TopicDefaults.NONE, metrics);
        FetchHandler.Limits limits = new FetchHandler.Limits(
                FETCH_MAX_BYTES,
                SESSION_SLOTS,
                () -> ThreadLocalRandom.current().nextInt());
        return new ArrayList<>(List.of(
                new ProduceHandler(
                        served,
                        new ProduceHandler.Target(logs, ownership, new NoTransactions()),
                        SystemClock.INSTANCE,
                        scheduler,
                        allocator,
                        metrics),
                new FetchHandler(
                        served,
                        logs,
                        ownership,
                        new FetchHandler.Time(SystemClock.INSTANCE, scheduler),
                        limits,
                        allocator::reservedBuffer,
                        metrics),
                new ListOffsetsHandler(served, logs, ownership),
                new OffsetForLeaderEpochHandler(served, logs, ownership),
                new InitProducerIdHandler(new ProducerIds(store), new NoTransactions(), 900_000)));
    }

    private LocalPartitionLogStore openLogs(Path path) throws IOException {
        FileSystem files = new LocalFileSystem();
        DataDirectory directory = DataDirectory.open(files, path, CLUSTER, NODE_ID);
        return LocalPartitionLogStore.open(
                directory,
                GivenNumbers.ANY,
                JournalDirectory.open(
                        files, path.resolve("journal"), JournalConfig.defaults(), directory.journalOwner()),
                new JournalResources(
                        SystemClock.INSTANCE,
                        () -> -1,
                        new FlushThread(task -> new Thread(task, "record-world-flush"), SystemClock.INSTANCE),
                        maintenance,
                        allocator,
                        metrics),
                LocalStorageConfig.defaults(),
                new LocalStorageServices(
                        files,
                        SystemClock.INSTANCE,
                        scheduler,
                        allocator,
                        readers,
                        maintenance,
                        readers,
                        maintenance,
                        metrics));
    }

    /** Creates a topic and waits until it is served. */
    TopicImage createTopic(String name, int partitions, String... configs) {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < configs.length; i += 2) {
            map.put(configs[i], configs[i + 1]);
        }
        await(topics.create(new NewTopic(name, partitions, 1, map)));
        TopicImage topic = images.current().topic(name);
        if (topic == null) {
            throw new AssertionError(name + " was not created");
        }
        await(lifecycle.whenServing(topic));
        return topic;
    }

    /** Deletes a topic. */
    void deleteTopic(String name) {
        TopicImage topic = images.current().topic(name);
        if (topic == null) {
            throw new AssertionError("no topic " + name);
        }
        await(topics.delete(topic.id()));
    }

    String bootstrap() {
        return "127.0.0.1:" + broker.port();
    }

    static TopicPartition partition(String topic, int number) {
        return new TopicPartition(topic, number);
    }

    static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        broker.close();
        logs.close();
        scheduler.close();
        readers.shutdown();
        maintenance.shutdown();
        metadataThread.shutdown();
        if (allocator.usedBytes() != 0) {
            throw new AssertionError(allocator.usedBytes() + " bytes of direct memory were not given back");
        }
    }
}
