package io.sluice.coordinator.transaction;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.transaction.TransactionState;

/** States to begin tests with. */
final class IdStates {
    static final TopicPartition A = new TopicPartition("a", 0);
    static final TopicPartition B = new TopicPartition("b", 1);

    private IdStates() {}

    static IdState in(TransactionState status, int epoch) {
        boolean open = status != TransactionState.EMPTY
                && status != TransactionState.COMPLETE_COMMIT
                && status != TransactionState.COMPLETE_ABORT;
        return new IdState(
                new ProducerIdentity(7, (short) epoch, (short) -1, 7, -1),
                status,
                open ? Set.of(A) : Set.of(),
                60_000,
                status == TransactionState.EMPTY ? -1 : 100,
                100,
                IdState.FIRST_GENERATION);
    }

    /** One whose producer had the epoch before until the last end. */
    static IdState raised(TransactionState status, int epoch) {
        IdState state = in(status, epoch);
        return new IdState(
                new ProducerIdentity(7, (short) epoch, (short) (epoch - 1), 7, -1),
                status,
                state.partitions(),
                60_000,
                state.startMillis(),
                100,
                IdState.SECOND_GENERATION);
    }

    static IdState ongoing(int epoch) {
        return in(TransactionState.ONGOING, epoch);
    }
}
