package io.sluice.storage.metadata;

import io.sluice.base.concurrent.TimeLimit;
import io.sluice.storage.metadata.TopicOutcome.Done;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Creates topics, and adds partitions to them, that are usable when the stage completes: durable, in the image, and with
 * logs that serve. Safe on every thread; stages complete on the metadata thread.
 */
public final class TopicCreator {
    private final TopicCatalogue catalogue;
    private final PartitionLifecycle lifecycle;
    private final TimeLimit timeLimit;
    private final long limitNanos;

    /**
     * Works through the catalogue.
     *
     * @param limitNanos longest wait for logs to serve
     */
    public TopicCreator(TopicCatalogue catalogue, PartitionLifecycle lifecycle, TimeLimit timeLimit, long limitNanos) {
        this.limitNanos = limitNanos;
        this.catalogue = catalogue;
        this.lifecycle = lifecycle;
        this.timeLimit = timeLimit;
    }

    /**
     * Creates a topic.
     *
     * @return fails with {@link java.io.IOException} when the store did, or a log cannot be opened, and with {@link
     *     java.util.concurrent.TimeoutException} when a log is not open in time; the topic may exist then
     */
    public CompletionStage<TopicOutcome> create(NewTopic topic) {
        return catalogue.create(topic).thenCompose(this::whenUsable);
    }

    /** Adds partitions; see {@link TopicCatalogue#growTo} and {@link #create}. */
    public CompletionStage<TopicOutcome> growTo(String name, int total) {
        return catalogue.growTo(name, total).thenCompose(this::whenUsable);
    }

    private CompletionStage<TopicOutcome> whenUsable(TopicOutcome outcome) {
        if (!(outcome instanceof Done done)) {
            return CompletableFuture.completedFuture(outcome);
        }
        String what = "opening the logs of topic " + done.topic().name();
        return timeLimit
                .apply(lifecycle.whenServing(done.topic()), limitNanos, what)
                .thenApply(served -> outcome);
    }
}
