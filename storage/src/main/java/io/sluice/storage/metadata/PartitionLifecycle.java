package io.sluice.storage.metadata;

import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the logs follow the image: opens those of new partitions, configures those of changed topics, deletes those of
 * deleted topics, and tells {@link LocalOwnership} when a log serves.
 *
 * <p>Changes happen on the metadata thread; {@link #whenServing} may be called on every thread.
 */
public final class PartitionLifecycle implements ClusterImageSource.ImageListener {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionLifecycle.class);

    private final PartitionLogStore logs;
    private final LocalOwnership ownership;
    private final Executor metadataThread;
    private final Map<PartitionId, CompletableFuture<PartitionLog>> opened = new ConcurrentHashMap<>();
    private @Nullable ClusterImage seen;

    /**
     * Does nothing before {@link #start}.
     *
     * @param metadataThread the metadata store's own
     */
    public PartitionLifecycle(PartitionLogStore logs, LocalOwnership ownership, Executor metadataThread) {
        this.logs = logs;
        this.ownership = ownership;
        this.metadataThread = metadataThread;
    }

    /** Hears how far the opening of logs has got. */
    @FunctionalInterface
    public interface Progress {
        /** So many of all have settled. */
        void onOpened(int done, int total);
    }

    /** The same, with nobody to tell of progress. */
    public CompletionStage<Void> start(ClusterImageSource images) {
        return start(images, (done, total) -> {});
    }

    /**
     * Opens the logs of everything in the image, and follows it from now on. Must come before any other listener that
     * creates topics.
     *
     * @param progress hears on the metadata thread of every log of the image that serves or has failed to, and of none once
     *     what this returns has completed
     * @return completes when every log that was in the image serves or has failed to
     */
    public CompletionStage<Void> start(ClusterImageSource images, Progress progress) {
        CompletableFuture<Void> settled = new CompletableFuture<>();
        images.addListener(this);
        metadataThread.execute(() -> {
            int total = opened.size();
            AtomicInteger settledCount = new AtomicInteger();
            CompletableFuture<?>[] all = opened.values().stream()
                    .map(one ->
                            one.whenComplete((log, cause) -> progress.onOpened(settledCount.incrementAndGet(), total)))
                    .toArray(CompletableFuture<?>[]::new);
            // a log that cannot be opened has been reported by itself
            CompletableFuture<Void> unused =
                    CompletableFuture.allOf(all).whenComplete((done, cause) -> settled.complete(null));
        });
        return settled;
    }

    /** Logs that could not be opened in this run, but for those of topics that were deleted since. */
    public int failedCount() {
        return (int) opened.values().stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .count();
    }

    /**
     * Completes when all partitions of the topic serve.
     *
     * @return fails with {@link IOException} when one could not be opened, or was deleted meanwhile
     */
    public CompletionStage<Void> whenServing(TopicImage topic) {
        List<CompletableFuture<PartitionLog>> all = new ArrayList<>();
        for (int i = 0; i < topic.partitions().size(); i++) {
            CompletableFuture<PartitionLog> one = opened.get(topic.partitionId(i));
            if (one == null) {
                return CompletableFuture.failedFuture(deleted(topic.partitionId(i)));
            }
            all.add(one);
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public void onImage(ClusterImage previous, ClusterImage current) {
        boolean first = seen == null;
        seen = current;
        if (first) {
            current.topics().forEach(topic -> open(topic, 0));
        } else {
            for (TopicId id : current.topicsChangedSince(previous)) {
                shielded(id.toString(), () -> follow(previous.topic(id), current.topic(id)));
            }
        }
    }

    /** What goes wrong with one topic keeps none of the others from being opened, changed or deleted. */
    @SuppressWarnings("checkstyle:IllegalCatch") // see above
    private static void shielded(String topic, Runnable change) {
        try {
            change.run();
        } catch (RuntimeException e) {
            LOG.atError()
                    .setMessage("A defect kept the logs of a topic from following its metadata")
                    .addKeyValue("topic", topic)
                    .setCause(e)
                    .log();
        }
    }

    private void follow(@Nullable TopicImage before, @Nullable TopicImage now) {
        if (now == null) {
            if (before != null) {
                delete(before);
            }
            return;
        }
        int known = before == null ? 0 : before.partitions().size();
        if (before != null && !before.configs().equals(now.configs())) {
            for (int i = 0; i < known; i++) {
                logs.configure(now.partitionId(i), now.configs());
            }
        }
        open(now, known);
    }

    private void open(TopicImage topic, int firstPartition) {
        for (int i = firstPartition; i < topic.partitions().size(); i++) {
            open(topic, topic.partitionId(i), topic.partitions().get(i).logId());
        }
    }

    private void open(TopicImage topic, PartitionId partition, long logId) {
        CompletableFuture<PartitionLog> done = new CompletableFuture<>();
        opened.put(partition, done);
        guardedOpen(topic, partition, logId)
                .whenComplete(
                        (log, cause) -> metadataThread.execute(() -> onOpened(topic, partition, done, log, cause)));
    }

    @SuppressWarnings(
            "checkstyle:IllegalCatch") // a start waits for all logs: a defect counts as one that failed to open
    private CompletionStage<PartitionLog> guardedOpen(TopicImage topic, PartitionId partition, long logId) {
        try {
            return logs.open(partition, topic.name(), logId, ownership.epoch(), topic.configs());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void onOpened(
            TopicImage topic,
            PartitionId partition,
            CompletableFuture<PartitionLog> done,
            @Nullable PartitionLog log,
            @Nullable Throwable cause) {
        if (opened.get(partition) == null) { // deleted meanwhile
            logs.delete(partition);
            return;
        }
        if (log == null) {
            LOG.atError()
                    .setMessage("Cannot open the log of a partition; the others are served")
                    .addKeyValue("topic", topic.name())
                    .addKeyValue("partition", partition.partition())
                    .setCause(cause)
                    .log();
            done.completeExceptionally(new IOException("cannot open the log of " + partition, cause));
            return;
        }
        ownership.acquired(partition);
        done.complete(log);
    }

    /** A log that is still being opened is deleted when that has ended. */
    private void delete(TopicImage topic) {
        for (int i = 0; i < topic.partitions().size(); i++) {
            PartitionId partition = topic.partitionId(i);
            ownership.released(partition);
            CompletableFuture<PartitionLog> done = opened.remove(partition);
            if (done != null && !done.completeExceptionally(deleted(partition))) {
                logs.delete(partition);
            }
        }
    }

    private static IOException deleted(PartitionId partition) {
        return new IOException("the topic of " + partition + " was deleted");
    }
}
