package io.sluice.storage.log;

import io.sluice.base.id.PartitionId;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** All logs that this node can serve: what the broker and the coordinators get instead of an engine. Safe on every thread. */
public interface PartitionLogStore extends AutoCloseable {
    /** The log of a partition that is open here, in whatever state; null where there is none. */
    @Nullable PartitionLog find(PartitionId partition);

    /**
     * Opens the partition's log, creating it where it does not exist, and completes when it serves under this epoch.
     *
     * @param topicName for file names and messages; the id decides
     * @param logId numeric id of the log, from the metadata; never used twice
     * @param configs the topic's own settings, by Kafka's names
     */
    CompletionStage<PartitionLog> open(
            PartitionId partition, String topicName, long logId, int leaderEpoch, Map<String, String> configs);

    /** Applies new settings of a topic to a log from now on. */
    void configure(PartitionId partition, Map<String, String> configs);

    /**
     * Deletes: refuses everything at once; the directory is renamed as soon as that is durable, its room is free when the
     * last reader lets go. Does nothing where there is no such log.
     */
    void delete(PartitionId partition);

    /** Calls the task, on the executor, when an append that was refused as FULL may be tried again. */
    void awaitCapacity(Executor executor, Runnable task);

    /** Makes everything appended so far durable, then closes. */
    @Override
    void close();
}
