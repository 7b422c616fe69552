package io.sluice.coordinator.library;

import com.yammer.metrics.core.MetricsRegistry;
import io.sluice.base.concurrent.SerialExecutor;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.ownership.Ownership;
import io.sluice.base.time.Scheduler;
import io.sluice.storage.config.GroupConfigKeys;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.coordinator.group.GroupCoordinatorService;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.server.share.persister.NoOpStatePersister;
import org.apache.kafka.server.util.PartitionMetadataClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The library running on one incarnation of the offsets topic. Partitions are elected and resigned as ownership says. Safe
 * on every thread.
 */
final class LibraryRun {
    private static final Logger LOG = LoggerFactory.getLogger(LibraryRun.class);

    /** Storage that takes longer will not answer before the node is gone. */
    private static final long MAX_UPDATE_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final GroupEnvironment env;
    private final Ownership ownership;
    private final OffsetsTopic topic;
    private final LogPartitionWriter writer;
    private final GroupCoordinatorService service;
    private final MetadataFeed feed;
    private boolean closed;

    /** Wires the library up. Takes some hundred milliseconds the first time, and starts the library's thread. */
    LibraryRun(GroupEnvironment env, TopicImage image) {
        this.env = env;
        this.ownership = env.ownership();
        this.topic = new OffsetsTopic(image.id(), image.partitions().size(), env.logs());
        LibraryConfig config = LibraryConfig.of(env.config());
        MonotonicTime time = new MonotonicTime(env.clock());
        BatchLimit limit = new BatchLimit(env.images(), env.topicDefaults());
        this.writer = new LogPartitionWriter(topic, env.allocator(), limit, this::resign);
        LogLoader loader = new LogLoader(
                topic,
                time,
                env.scheduler(),
                env.background(),
                env.config().get(GroupConfigKeys.LOAD_BUFFER_BYTES),
                new Loads());
        this.service = new GroupCoordinatorService.Builder(ownership.localNodeId(), config.groups())
                .withWriter(writer)
                .withLoader(loader)
                .withTime(time)
                .withTimer(new SchedulerTimer(env.clock(), env.scheduler(), env.background()))
                .withCoordinatorRuntimeMetrics(new LibraryMetrics(env.metrics()))
                .withGroupCoordinatorMetrics(new GroupCoordinatorMetrics(
                        new MetricsRegistry(), new org.apache.kafka.common.metrics.Metrics()))
                .withGroupConfigManager(config.groupConfigs())
                .withPersister(new NoOpStatePersister())
                .withAuthorizerPlugin(Optional.empty())
                .withPartitionMetadataClient(new NoShareGroups())
                .build();
        this.feed = new MetadataFeed(
                env.images(),
                service,
                new MetadataTranslator(ownership.localNodeId()),
                env.clock(),
                env.scheduler(),
                new SerialExecutor(env.background()));
    }

    /** Starts serving: metadata first, then every partition that is ours. */
    void start() {
        service.startup(topic::partitions);
        feed.feed();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            reconcile(partition);
        }
    }

    GroupCoordinatorService service() {
        return service;
    }

    OffsetsTopic topic() {
        return topic;
    }

    void onImage() {
        feed.onChange();
    }

    /** Completes when the library has heard of the image that is current now. */
    CompletableFuture<Void> metadataCaughtUp() {
        return feed.caughtUp();
    }

    /** Loading starts after everything here has been made. */
    private final class Loads implements LogLoader.LoadListener {
        @Override
        public void onLoaded(Set<CommittedTopic> topics) {
            feed.onLoaded(topics);
        }

        @Override
        public void onUnusable(int partition, int leaderEpoch) {
            giveUp(partition, leaderEpoch);
        }
    }

    /**
     * Elects or resigns the partition, whichever brings it in line with who owns it now. One whose log is not open, because it
     * could not be opened or is about to be, is not elected: this is called again when it serves.
     */
    synchronized void reconcile(int partition) {
        if (closed) {
            return;
        }
        boolean local = ownership.isLocal(topic.partitionId(partition));
        int epoch = ownership.leaderEpochOf(topic.partitionId(partition));
        if (!local || !topic.isUsable(partition)) {
            resign(partition);
        } else if (topic.leaderEpoch(partition) != epoch) {
            topic.setElected(partition, epoch);
            service.onElection(partition, epoch);
        }
    }

    /** Resigns a partition whose log did not come to serve; where it does by now, nobody would tell of it again. */
    private synchronized void giveUp(int partition, int leaderEpoch) {
        if (topic.clearElected(partition, leaderEpoch)) {
            tellResigned(partition);
        }
        if (topic.isServing(partition)) {
            reconcile(partition);
        }
    }

    /** Fails what waits on the partition with NOT_COORDINATOR and forgets its groups. Does not block. */
    private void resign(int partition) {
        if (topic.clearElected(partition)) {
            tellResigned(partition);
        }
    }

    private void tellResigned(int partition) {
        try {
            service.onResignation(partition, OptionalInt.empty());
        } catch (KafkaException e) {
            LOG.debug("Partition {} was lost while the coordinator stopped", partition, e);
        }
    }

    /**
     * Stops: first the metadata, so that the removal of a deleted topic's offsets is not cut off half-way, then the library,
     * whose thread is waited for. Completes when all has stopped.
     */
    CompletableFuture<Void> close() {
        synchronized (this) {
            closed = true;
        }
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

    /** Asked for share groups only, which are not served. */
    private static final class NoShareGroups implements PartitionMetadataClient {
        @Override
        public Map<TopicPartition, CompletableFuture<OffsetResponse>> listLatestOffsets(
                Set<TopicPartition> partitions) {
            return partitions.stream()
                    .collect(Collectors.toMap(
                            partition -> partition,
                            partition -> CompletableFuture.completedFuture(
                                    new OffsetResponse(-1, Errors.UNSUPPORTED_VERSION))));
        }

        @Override
        public void close() {}
    }
}
