package io.sluice.coordinator.runtime;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicNames;
import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands new metadata to the library: at once after a quiet spell, else at most every {@link #INTERVAL_NANOS}, so that
 * creating ten thousand topics costs it a few updates. The library waits inside an update until the offsets of deleted
 * topics are gone, for which reason updates run on the background executor, one at a time.
 */
public final class MetadataFeed {
    /** Least time between two updates. */
    public static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long LONGEST_CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final Logger LOG = LoggerFactory.getLogger(MetadataFeed.class);

    private final ClusterImageSource images;
    private final Target target;
    private final MetadataTranslator translator;
    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor serial;
    private Map<String, Map<String, String>> groupConfigs = Map.of();
    private long lastFedNanos;
    private boolean scheduled;
    private volatile long toldVersion = -1;
    private volatile boolean closed;

    /** A coordinator of the library, which hears of one thing after the other. May block for the commit time-out. */
    public interface Target {
        /** Topics came, went or grew. */
        void onMetadataUpdate(MetadataDelta delta, MetadataImage image);

        /** A group has these settings from now on. */
        default void updateGroupConfig(String groupId, Properties settings) {}
    }

    /**
     * A feed that has told nothing yet.
     *
     * @param serial runs updates one at a time; may be blocked for the commit time-out
     */
    public MetadataFeed(
            ClusterImageSource images,
            Target target,
            MetadataTranslator translator,
            Clock clock,
            Scheduler scheduler,
            Executor serial) {
        this.images = images;
        this.target = target;
        this.translator = translator;
        this.clock = clock;
        this.scheduler = scheduler;
        this.serial = serial;
        this.lastFedNanos = clock.nanoTime() - INTERVAL_NANOS;
    }

    /** Notes that there is a newer image. Does not block. */
    public synchronized void onChange() {
        if (scheduled || closed) {
            return;
        }
        scheduled = true;
        long waitNanos = lastFedNanos + INTERVAL_NANOS - clock.nanoTime();
        if (waitNanos <= 0) {
            serial.execute(this::feed);
        } else {
            scheduler.schedule(this::feed, waitNanos, serial);
        }
    }

    /**
     * Removes the offsets of topics that were deleted while the partition that holds them was not loaded: otherwise a topic
     * created under an old name would inherit them. Runs between two updates, so that every deletion is seen here or there.
     */
    public void onLoaded(Set<CommittedTopic> committed) {
        serial.execute(() -> {
            ClusterImage current = images.current();
            if (!closed && current.topic(TopicNames.CONSUMER_OFFSETS) != null) {
                List<CommittedTopic> gone = committed.stream()
                        .filter(topic -> topic.isGone(current))
                        .toList();
                if (!gone.isEmpty()) {
                    tell(translator.deletionOf(gone));
                }
            }
        });
    }

    /** Completes when the image that is current now, or a newer one, has been told; tells it if need be. */
    public CompletableFuture<Void> caughtUp() {
        return toldVersion >= images.current().version()
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.runAsync(this::feed, serial);
    }

    /**
     * Tells nothing more. Completes when the update under way, if there is one, is over, so that the removal of a deleted
     * topic's offsets is not cut off half-way; but waits for no storage that will not answer before the node is gone.
     */
    public CompletableFuture<Void> close() {
        closed = true;
        CompletableFuture<Void> quiet = CompletableFuture.runAsync(() -> {}, serial);
        Scheduler.Timer limit = scheduler.schedule(() -> quiet.complete(null), LONGEST_CLOSE_NANOS, Runnable::run);
        return quiet.whenComplete((nothing, failure) -> limit.cancel());
    }

    /** Tells the newest image. On the serial executor. */
    public void feed() {
        synchronized (this) {
            scheduled = false;
            lastFedNanos = clock.nanoTime();
        }
        if (!closed) {
            feed(images.current());
        }
    }

    private void feed(ClusterImage current) {
        if (current.version() == toldVersion) {
            return;
        }
        feedGroupConfigs(current.groupConfigs());
        MetadataTranslator.Update update = translator.advance(current);
        if (update != null) {
            tell(update);
        }
        toldVersion = current.version();
    }

    private void tell(MetadataTranslator.Update update) {
        try {
            target.onMetadataUpdate(update.delta(), update.image());
        } catch (KafkaException e) {
            LOG.debug("Metadata came after the coordinator had stopped", e);
        }
    }

    /** An image that changed none of them has those of the image before: then there is nothing to walk through. */
    @SuppressWarnings("ReferenceEquality") // equal ones that are another object are walked through once
    private void feedGroupConfigs(Map<String, Map<String, String>> current) {
        if (current == groupConfigs) {
            return;
        }
        groupConfigs.keySet().stream()
                .filter(group -> !current.containsKey(group))
                .forEach(group -> target.updateGroupConfig(group, new Properties()));
        current.forEach((group, configs) -> {
            if (!configs.equals(groupConfigs.get(group))) {
                updateGroupConfig(group, configs);
            }
        });
        groupConfigs = current;
    }

    private void updateGroupConfig(String group, Map<String, String> configs) {
        Properties properties = new Properties();
        properties.putAll(configs);
        try {
            target.updateGroupConfig(group, properties);
        } catch (KafkaException e) {
            LOG.warn("Settings of group {} are not used: {}", group, e.getMessage());
        }
    }
}
