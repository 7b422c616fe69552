package io.sluice.coordinator.share;

import io.sluice.coordinator.runtime.CoordinatorLocation;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.DeleteShareGroupStateRequestData;
import org.apache.kafka.common.message.DeleteShareGroupStateResponseData;
import org.apache.kafka.common.message.InitializeShareGroupStateRequestData;
import org.apache.kafka.common.message.InitializeShareGroupStateResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateRequestData;
import org.apache.kafka.common.message.ReadShareGroupStateResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateSummaryRequestData;
import org.apache.kafka.common.message.ReadShareGroupStateSummaryResponseData;
import org.apache.kafka.common.message.WriteShareGroupStateRequestData;
import org.apache.kafka.common.message.WriteShareGroupStateResponseData;
import org.apache.kafka.server.share.SharePartitionKey;

/**
 * The state of share groups (KIP-932): how far each group has got in each partition, and what became of the records beyond.
 * A share partition is known by its key: group, topic id and partition, see {@link
 * SharePartitionKey#asCoordinatorKey}.
 *
 * <p>Errors are inside the answers, one for each share partition: those of a coordinator that is elsewhere or loads
 * (NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS: ask again), FENCED_STATE_EPOCH and
 * FENCED_LEADER_EPOCH for a writer that was replaced, UNKNOWN_TOPIC_OR_PARTITION. Stages do not fail.
 *
 * <p>Threads: safe on every thread; nothing blocks. Stages complete on the coordinator's thread.
 */
public interface ShareStatePort extends AutoCloseable {
    /** Whether a text names a share partition: group, topic id and partition with colons between them. */
    static boolean isKey(String text) {
        try {
            SharePartitionKey.validate(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Where the coordinator of a share partition is. Creates the topic of the state if there is none yet. Never fails. */
    CompletionStage<CoordinatorLocation> locate(String key);

    /** InitializeShareGroupState: a start offset and a state epoch for each share partition. */
    CompletionStage<InitializeShareGroupStateResponseData> initialize(InitializeShareGroupStateRequestData request);

    /** ReadShareGroupState, which also fences writers under older leader epochs. */
    CompletionStage<ReadShareGroupStateResponseData> read(ReadShareGroupStateRequestData request);

    /** WriteShareGroupState: answered when durable. */
    CompletionStage<WriteShareGroupStateResponseData> write(WriteShareGroupStateRequestData request);

    /** DeleteShareGroupState. */
    CompletionStage<DeleteShareGroupStateResponseData> delete(DeleteShareGroupStateRequestData request);

    /** ReadShareGroupStateSummary: start offsets and counts without the records in flight. */
    CompletionStage<ReadShareGroupStateSummaryResponseData> readSummary(ReadShareGroupStateSummaryRequestData request);

    /** Stops within two seconds; later calls are answered COORDINATOR_NOT_AVAILABLE. */
    @Override
    void close();
}
