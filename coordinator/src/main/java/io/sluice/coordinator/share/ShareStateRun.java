package io.sluice.coordinator.share;

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
import io.sluice.storage.config.ShareGroupKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.coordinator.share.ShareCoordinatorConfig;
import org.apache.kafka.coordinator.share.ShareCoordinatorRecordSerde;
import org.apache.kafka.coordinator.share.ShareCoordinatorService;
import org.apache.kafka.coordinator.share.metrics.ShareCoordinatorMetrics;

/**
 * The library running on one incarnation of the state's topic. Partitions are elected and resigned as ownership says. Safe on
 * every thread.
 */
final class ShareStateRun implements CoordinatorRun {
    /** Storage that takes longer will not answer before the node is gone. */
    private static final long MAX_UPDATE_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final CoordinatorEnvironment env;
    private final StateTopic topic;
    private final Elections elections;
    private final LogPartitionWriter writer;
    private final ShareCoordinatorService service;
    private final MetadataFeed feed;

    /** Wires the library up, and starts its thread. */
    ShareStateRun(CoordinatorEnvironment env, TopicImage image) {
        this.env = env;
        this.topic = new StateTopic(image.name(), image.id(), image.partitions().size(), env.logs());
        MonotonicTime time = new MonotonicTime(env.clock());
        this.elections = new Elections(env.ownership(), topic, new Electorate());
        this.writer = new LogPartitionWriter(
                topic,
                env.allocator(),
                new BatchLimit(image.name(), env.images(), env.topicDefaults()),
                new PatientVerifier(ShareStateRun::refuseTransactions, env.clock(), env.scheduler()),
                elections::resign);
        LogLoader loader = new LogLoader(
                topic,
                time,
                env.scheduler(),
                env.background(),
                env.config().get(ShareGroupKeys.LOAD_BUFFER_BYTES),
                new ShareCoordinatorRecordSerde(),
                new Loads());
        this.service = new ShareCoordinatorService.Builder(env.ownership().localNodeId(), libraryConfig(env))
                .withWriter(writer)
                .withLoader(loader)
                .withTime(time)
                .withTimer(new SchedulerTimer(env.clock(), env.scheduler(), env.background()))
                .withCoordinatorMetrics(new ShareCoordinatorMetrics(new org.apache.kafka.common.metrics.Metrics()))
                .withCoordinatorRuntimeMetrics(new RuntimeMetrics(env.metrics(), "share"))
                .build();
        this.feed = new MetadataFeed(
                env.images(),
                service::onMetadataUpdate,
                new MetadataTranslator(env.ownership().localNodeId()),
                env.clock(),
                env.scheduler(),
                new SerialExecutor(env.background()));
    }

    private static ShareCoordinatorConfig libraryConfig(CoordinatorEnvironment env) {
        Map<String, String> texts = new HashMap<>();
        ShareGroupKeys.ALL.forEach(key -> {
            Object value = env.config().find(key);
            if (value != null && ShareCoordinatorConfig.CONFIG_DEF.names().contains(key.name())) {
                texts.put(key.name(), value.toString());
            }
        });
        return new ShareCoordinatorConfig(new AbstractConfig(ShareCoordinatorConfig.CONFIG_DEF, texts, false));
    }

    private static CompletionStage<Map<TopicPartition, Errors>> refuseTransactions(
            String transactionalId, long producerId, short epoch, List<TopicPartition> partitions, boolean adds) {
        return CompletableFuture.failedFuture(
                new IllegalStateException("the state of share groups is written in no transaction"));
    }

    /** Metadata first, then every partition that is ours. */
    @Override
    public void start() {
        service.startup(topic::partitions);
        feed.feed();
        elections.reconcileAll();
    }

    ShareCoordinatorService service() {
        return service;
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

    private final class Electorate implements Elections.Listener {
        @Override
        public void onElection(int partition, int leaderEpoch) {
            service.onElection(partition, leaderEpoch);
        }

        @Override
        public void onResignation(int partition) {
            service.onResignation(partition, OptionalInt.empty());
        }
    }

    private final class Loads implements LogLoader.LoadListener {
        @Override
        public LogLoader.LoadWatch onLoading(int partition) {
            elections.onLoading(partition);
            return LogLoader.LoadWatch.NONE;
        }

        @Override
        public void onUnusable(int partition, int leaderEpoch) {
            elections.giveUp(partition, leaderEpoch);
        }
    }

    /** Stops: metadata first, then the library, whose thread is waited for. Completes when all has stopped. */
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
}
