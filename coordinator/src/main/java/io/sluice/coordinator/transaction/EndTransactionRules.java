package io.sluice.coordinator.transaction;

import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.coordinator.transaction.TransactionState;
import org.jspecify.annotations.Nullable;

/**
 * How EndTxn is answered. With the second generation (KIP-890) a request of the epoch before is a repetition of one whose
 * answer was lost; one of the current epoch is about the next transaction:
 *
 * <pre>
 *                 | abort                    | commit
 *                 | epoch before | current   | epoch before | current
 * Empty           | fenced       | aborts    | fenced       | INVALID_TXN_STATE
 * CompleteAbort   | repeated (1) | aborts    | INVALID_...  | INVALID_TXN_STATE
 * CompleteCommit  | INVALID_...  | aborts    | repeated     | INVALID_TXN_STATE
 * Ongoing         | fenced       | aborts    | fenced       | commits
 * (1) fenced, where another producer of the id had it aborted
 * </pre>
 *
 * <p>With the first generation the epoch has to be the current one, there is nothing to abort in Empty, and in the Complete
 * states the same request again is taken for a repetition.
 *
 * @param commit whether the transaction is to be committed
 * @param raises whether the client is of the second generation
 * @param spareId a producer id to go on with where the epochs are used up, or -1
 */
record EndTransactionRules(
        long producerId, short producerEpoch, boolean commit, boolean raises, long spareId, long nowMillis) {
    Decision decide(@Nullable IdState current) {
        if (current == null) {
            return refuse(Errors.INVALID_PRODUCER_ID_MAPPING);
        }
        return raises ? decideSecond(current) : decideFirst(current);
    }

    private Decision decideFirst(IdState current) {
        if (current.producer().id() != producerId) {
            return refuse(Errors.INVALID_PRODUCER_ID_MAPPING);
        }
        if (current.producer().epoch() != producerEpoch) {
            return refuse(Errors.PRODUCER_FENCED);
        }
        if (current.isPrepared()) {
            return refuse(Errors.CONCURRENT_TRANSACTIONS);
        }
        if (current.isOngoing()) {
            return Decision.Change.to(current.preparedSameEpoch(commit, nowMillis));
        }
        return current.status() == outcome()
                ? new Decision.Repeat(current.producer())
                : refuse(Errors.INVALID_TXN_STATE);
    }

    private Decision decideSecond(IdState current) {
        if (current.isPrepared()) {
            // First of all: the producer may already know the id and epoch that come with the completion.
            return refuse(Errors.CONCURRENT_TRANSACTIONS);
        }
        ProducerIdentity producer = current.producer();
        boolean repeatedAcrossIds = producer.previousId() == producerId
                && producerEpoch == ProducerIdentity.LAST_USABLE_EPOCH
                && producer.epoch() == 0;
        // Where another producer takes the place of this one the last epoch is -1.
        boolean repeated =
                (repeatedAcrossIds || producer.epoch() == producerEpoch + 1) && producer.lastEpoch() == producerEpoch;
        if (producer.id() != producerId && !repeatedAcrossIds) {
            return refuse(Errors.INVALID_PRODUCER_ID_MAPPING);
        }
        boolean complete = current.status() == TransactionState.COMPLETE_COMMIT
                || current.status() == TransactionState.COMPLETE_ABORT;
        if (complete && repeated) {
            return current.status() == outcome() ? repeat(current) : refuse(Errors.INVALID_TXN_STATE);
        }
        if (producer.epoch() != producerEpoch || producer.isFencedForGood()) {
            return refuse(Errors.PRODUCER_FENCED);
        }
        return current.isOngoing() || !commit ? end(current) : refuse(Errors.INVALID_TXN_STATE);
    }

    /** Answered as before, but that the epoch to fence with is nobody's: there another producer id takes over. */
    private Decision repeat(IdState current) {
        if (!current.producer().isFencedForGood()) {
            return new Decision.Repeat(current.producer());
        }
        return spareId == ProducerIdentity.NO_ID
                ? new Decision.NeedsProducerId()
                : Decision.Change.to(current.rotated(spareId, producerEpoch, nowMillis));
    }

    private Decision end(IdState current) {
        boolean exhausted = current.producer().isExhausted();
        if (exhausted && spareId == ProducerIdentity.NO_ID) {
            return new Decision.NeedsProducerId();
        }
        IdState prepared = current.preparedRaised(commit, exhausted ? spareId : ProducerIdentity.NO_ID, nowMillis);
        return new Decision.Change(
                prepared, Errors.NONE, prepared.completed(nowMillis).producer());
    }

    private TransactionState outcome() {
        return commit ? TransactionState.COMPLETE_COMMIT : TransactionState.COMPLETE_ABORT;
    }

    private static Decision refuse(Errors error) {
        return new Decision.Refuse(error);
    }
}
