package io.sluice.coordinator.transaction;

import io.sluice.coordinator.runtime.TransactionEnd;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/** Where a coordinator has the markers written that end a transaction in each partition it touched. Safe on every thread. */
public interface TransactionMarkers {
    /**
     * Writes a marker into one partition, for groups' offsets through the group coordinator, which applies the offsets.
     * Repeating it does no harm. Does not block, and completes in bounded time: an attempt that was answered with an error must
     * not take effect after a later one has been accepted, when the producer may be at its next transaction.
     *
     * @return NONE when the marker is durable; UNKNOWN_TOPIC_OR_PARTITION where the partition is gone, so that there is nothing
     *     to mark; INVALID_PRODUCER_EPOCH where the producer has a later epoch there, so that nothing that the marker ends can
     *     be open; INVALID_TXN_STATE where a transaction is open that the marker does not end although it should;
     *     TRANSACTION_COORDINATOR_FENCED where a later coordinator has written; INVALID_TOPIC_EXCEPTION where the partition is
     *     one that no transaction can write to; else what may be tried again. Never fails
     */
    CompletionStage<Errors> write(TransactionEnd end, TopicPartition partition);
}
