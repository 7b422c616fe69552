package io.sluice.coordinator.transaction;

import io.sluice.coordinator.runtime.TransactionEnd;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.transaction.TransactionState;

/**
 * A decision that has to be told to every partition of a transaction.
 *
 * @param statePartition the partition of {@code __transaction_state} that holds the id
 * @param coordinatorEpoch under which that was elected
 * @param prepared the state that says so, which is durable
 */
record Ending(TopicPartition statePartition, int coordinatorEpoch, String transactionalId, IdState prepared) {
    TransactionEnd end() {
        return new TransactionEnd(
                prepared.producer().id(),
                prepared.producer().epoch(),
                coordinatorEpoch,
                prepared.status() == TransactionState.PREPARE_COMMIT,
                prepared.clientVersion());
    }
}
