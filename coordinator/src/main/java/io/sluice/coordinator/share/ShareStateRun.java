package io.sluice.coordinator.share;

import io.sluice.base.concurrent.SerialExecutor;
import io.sluice.base.metadata.TopicImage;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.CoordinatorFooting;
import io.sluice.coordinator.runtime.CoordinatorRun;
import io.sluice.coordinator.runtime.Elections;
import io.sluice.coordinator.runtime.MetadataFeed;
import io.sluice.coordinator.runtime.MetadataTranslator;
import io.sluice.coordinator.runtime.RuntimeMetrics;
import io.sluice.coordinator.runtime.TransactionVerifier;
import io.sluice.storage.config.ShareGroupKeys;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.coordinator.share.ShareCoordinatorConfig;
import org.apache.kafka.coordinator.share.ShareCoordinatorRecordSerde;
import org.apache.kafka.coordinator.share.ShareCoordinatorService;
import org.apache.kafka.coordinator.share.metrics.ShareCoordinatorMetrics;

/**
 * The library running on one incarnation of the state's topic. Partitions are elected and resigned as ownership says. Safe on
 * every thread.
 */
final class ShareStateRun implements CoordinatorRun {
    private final CoordinatorEnvironment env;
    private final CoordinatorFooting footing;
    private final ShareCoordinatorService service;
    private final MetadataFeed feed;

    /** Wires the library up, and starts its thread. */
    ShareStateRun(CoordinatorEnvironment env, TopicImage image) {
        this.env = env;
        this.footing = new CoordinatorFooting(
                env,
                image,
                TransactionVerifier.NONE,
                new CoordinatorFooting.Loading(
                        env.config().get(ShareGroupKeys.LOAD_BUFFER_BYTES), new ShareCoordinatorRecordSerde()),
                new Electorate());
        this.service = new ShareCoordinatorService.Builder(env.ownership().localNodeId(), libraryConfig(env))
                .withWriter(footing.writer())
                .withLoader(footing.loader())
                .withTime(footing.time())
                .withTimer(footing.timer())
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

    /** Metadata first, then every partition that is ours. */
    @Override
    public void start() {
        service.startup(footing.topic()::partitions);
        feed.feed();
        footing.elections().reconcileAll();
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
        footing.elections().reconcile(partition);
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

    /** Stops: metadata first, then the library, whose thread is waited for. Completes when all has stopped. */
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
}
