package io.sluice.coordinator.library;

import com.yammer.metrics.core.MetricsRegistry;
import io.sluice.base.concurrent.SerialExecutor;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.time.Scheduler;
import io.sluice.coordinator.runtime.BatchLimit;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.CoordinatorRun;
import io.sluice.coordinator.runtime.Elections;
import io.sluice.coordinator.runtime.LogLoader;
import io.sluice.coordinator.runtime.LogPartitionWriter;
import io.sluice.coordinator.runtime.MetadataFeed;
import io.sluice.coordinator.runtime.MetadataTranslator;
import io.sluice.coordinator.runtime.MonotonicTime;
import io.sluice.coordinator.runtime.PatientVerifier;
import io.sluice.coordinator.runtime.RuntimeMetrics;
import io.sluice.coordinator.runtime.SchedulerTimer;
import io.sluice.coordinator.runtime.StateTopic;
import io.sluice.coordinator.runtime.TransactionVerifier;
import io.sluice.storage.config.GroupConfigKeys;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;
import org.apache.kafka.coordinator.group.GroupCoordinatorService;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.server.share.persister.Persister;

/**
 * The library running on one incarnation of the offsets topic. Partitions are elected and resigned as ownership says. Safe
 * on every thread.
 */
final class LibraryRun implements CoordinatorRun {
    /** Storage that takes longer will not answer before the node is gone. */
    private static final long MAX_UPDATE_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final CoordinatorEnvironment env;
    private final StateTopic topic;
    private final Elections elections;
    private final LogPartitionWriter writer;
    private final GroupCoordinatorService service;
    private final MetadataFeed feed;

    /** Wires the library up. Takes some hundred milliseconds the first time, and starts the library's thread. */
    LibraryRun(CoordinatorEnvironment env, TransactionVerifier transactions, Persister persister, TopicImage image) {
        this.env = env;
        this.topic = new StateTopic(image.name(), image.id(), image.partitions().size(), env.logs());
        LibraryConfig config = LibraryConfig.of(env.config());
        MonotonicTime time = new MonotonicTime(env.clock());
        BatchLimit limit = new BatchLimit(image.name(), env.images(), env.topicDefaults());
        this.elections = new Elections(env.ownership(), topic, new Groups());
        this.writer = new LogPartitionWriter(
                topic,
                env.allocator(),
                limit,
                new PatientVerifier(transactions, env.clock(), env.scheduler(), env.background()),
                elections::resign);
        LogLoader loader = new LogLoader(
                topic,
                time,
                env.scheduler(),
                env.background(),
                env.config().get(GroupConfigKeys.LOAD_BUFFER_BYTES),
                new GroupCoordinatorRecordSerde(),
                new Loads());
        this.service = new GroupCoordinatorService.Builder(env.ownership().localNodeId(), config.groups())
                .withWriter(writer)
                .withLoader(loader)
                .withTime(time)
                .withTimer(new SchedulerTimer(env.clock(), env.scheduler(), env.background()))
                .withCoordinatorRuntimeMetrics(new RuntimeMetrics(env.metrics(), "group"))
                .withGroupCoordinatorMetrics(new GroupCoordinatorMetrics(
                        new MetricsRegistry(), new org.apache.kafka.common.metrics.Metrics()))
                .withGroupConfigManager(config.groupConfigs())
                .withPersister(persister)
                .withAuthorizerPlugin(Optional.empty())
                .withPartitionMetadataClient(new LogEndOffsets(env.images(), env.logs()))
                .build();
        this.feed = new MetadataFeed(
                env.images(),
                new Told(),
                new MetadataTranslator(env.ownership().localNodeId()),
                env.clock(),
                env.scheduler(),
                new SerialExecutor(env.background()));
    }

    /** Metadata first, then every partition that is ours. */
    @Override
    public void start() {
        service.startup(topic::partitions);
        feed.feed();
        elections.reconcileAll();
    }

    GroupCoordinatorService service() {
        return service;
    }

    StateTopic topic() {
        return topic;
    }

    @Override
    public void onImage() {
        feed.onChange();
    }

    /** Completes when the library has heard of the image that is current now. */
    CompletableFuture<Void> metadataCaughtUp() {
        return feed.caughtUp();
    }

    @Override
    public void reconcile(int partition) {
        elections.reconcile(partition);
    }

    private final class Groups implements Elections.Listener {
        @Override
        public void onElection(int partition, int leaderEpoch) {
            service.onElection(partition, leaderEpoch);
        }

        @Override
        public void onResignation(int partition) {
            service.onResignation(partition, OptionalInt.empty());
        }
    }

    /** Loading starts after everything here has been made. */
    private final class Loads implements LogLoader.LoadListener {
        @Override
        public LogLoader.LoadWatch onLoading(int partition) {
            elections.onLoading(partition);
            return new CommittedTopics(feed);
        }

        @Override
        public void onUnusable(int partition, int leaderEpoch) {
            elections.giveUp(partition, leaderEpoch);
        }
    }

    /**
     * Stops: first the metadata, so that the removal of a deleted topic's offsets is not cut off half-way, then the library,
     * whose thread is waited for. Completes when all has stopped.
     */
    @Override
    public CompletableFuture<Void> close() {
        elections.close();
        CompletableFuture<Void> quiet = feed.close();
        Scheduler.Timer limit =
                env.scheduler().schedule(() -> quiet.complete(null), MAX_UPDATE_WAIT_NANOS, env.background());
        return quiet.thenRunAsync(
                () -> {
                    limit.cancel();
                    service.shutdown();
                    writer.close();
                },
                env.background());
    }

    /** The library hears of metadata and of groups' settings. */
    private final class Told implements MetadataFeed.Target {
        @Override
        public void onMetadataUpdate(MetadataDelta delta, MetadataImage image) {
            service.onMetadataUpdate(delta, image);
        }

        @Override
        public void updateGroupConfig(String groupId, Properties settings) {
            service.updateGroupConfig(groupId, settings);
        }
    }
}
