package io.sluice.coordinator.library;

import com.yammer.metrics.core.MetricsRegistry;
import io.sluice.base.concurrent.SerialExecutor;
import io.sluice.base.metadata.TopicImage;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.CoordinatorFooting;
import io.sluice.coordinator.runtime.CoordinatorRun;
import io.sluice.coordinator.runtime.Elections;
import io.sluice.coordinator.runtime.LogLoader;
import io.sluice.coordinator.runtime.MetadataFeed;
import io.sluice.coordinator.runtime.MetadataTranslator;
import io.sluice.coordinator.runtime.RuntimeMetrics;
import io.sluice.coordinator.runtime.TransactionVerifier;
import io.sluice.storage.config.GroupConfigKeys;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
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
    private final CoordinatorEnvironment env;
    private final CoordinatorFooting footing;
    private final GroupCoordinatorService service;
    private final MetadataFeed feed;

    /** Wires the library up. Takes some hundred milliseconds the first time, and starts the library's thread. */
    LibraryRun(CoordinatorEnvironment env, TransactionVerifier transactions, Persister persister, TopicImage image) {
        this.env = env;
        LibraryConfig config = LibraryConfig.of(env.config());
        this.footing = new CoordinatorFooting(
                env,
                image,
                transactions,
                new CoordinatorFooting.Loading(
                        env.config().get(GroupConfigKeys.LOAD_BUFFER_BYTES),
                        new GroupCoordinatorRecordSerde(),
                        this::watch),
                new Groups());
        this.service = new GroupCoordinatorService.Builder(env.ownership().localNodeId(), config.groups())
                .withWriter(footing.writer())
                .withLoader(footing.loader())
                .withTime(footing.time())
                .withTimer(footing.timer())
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

    /** Loading starts after everything here has been made. */
    private LogLoader.LoadWatch watch() {
        return new CommittedTopics(feed);
    }

    /** Metadata first, then every partition that is ours. */
    @Override
    public void start() {
        service.startup(footing.topic()::partitions);
        feed.feed();
        footing.elections().reconcileAll();
    }

    GroupCoordinatorService service() {
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
        footing.elections().reconcile(partition);
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

    /**
     * Stops: first the metadata, so that the removal of a deleted topic's offsets is not cut off half-way, then the library,
     * whose thread is waited for. Completes when all has stopped.
     */
    @Override
    public CompletableFuture<Void> close() {
        footing.elections().close();
        return feed.close()
                .thenRunAsync(
                        () -> {
                            service.shutdown();
                            footing.writer().close();
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
