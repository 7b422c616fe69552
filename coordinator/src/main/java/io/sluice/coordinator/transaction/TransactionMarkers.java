package io.sluice.coordinator.transaction;

import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/** Where a coordinator has the markers written that end a transaction in each partition it touched. Safe on every thread. */
public interface TransactionMarkers {
    /**
     * Writes a marker into one partition, for groups' offsets through the group coordinator, which applies the offsets.
     * Repeating it does no harm. Does not block.
     *
     * @return NONE when the marker is durable; UNKNOWN_TOPIC_OR_PARTITION where the partition is gone, so that there is nothing
     *     to mark; TRANSACTION_COORDINATOR_FENCED where a later coordinator has written; else what may be tried again. Never
     *     fails
     */
    CompletionStage<Errors> write(Marker marker, TopicPartition partition);

    /**
     * How a transaction ended.
     *
     * @param coordinatorEpoch the leader epoch under which the coordinator was elected; an older one is refused
     * @param transactionVersion 2 where the marker bears a raised epoch (KIP-890), else 0 or 1
     */
    record Marker(
            long producerId, short producerEpoch, int coordinatorEpoch, boolean commit, short transactionVersion) {}
}
