package io.sluice.coordinator.transaction;

import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Which producer owns a transactional id, and what it may still call itself.
 *
 * @param id producer id
 * @param epoch the only one that may write; two epochs short of the largest value it is used up, so that there is always one
 *     left to fence with
 * @param lastEpoch the epoch before, by which the repetition of a request is known whose answer was lost (KIP-360), or -1
 * @param previousId the id before the last change, which is the same one unless the epochs were used up then, or -1
 * @param nextId the id that takes over when the transaction has ended, because the epochs are used up (KIP-890), or -1
 */
record ProducerIdentity(long id, short epoch, short lastEpoch, long previousId, long nextId) {
    static final long NO_ID = RecordBatch.NO_PRODUCER_ID;
    static final short NO_EPOCH = RecordBatch.NO_PRODUCER_EPOCH;

    /** The last epoch that a producer gets: the one above is there to fence it with, and no client ever learns it. */
    static final short LAST_USABLE_EPOCH = Short.MAX_VALUE - 1;

    /** Of an id that nobody had before. */
    static ProducerIdentity first(long id) {
        return new ProducerIdentity(id, (short) 0, NO_EPOCH, id, NO_ID);
    }

    static boolean isExhausted(short epoch) {
        return epoch >= LAST_USABLE_EPOCH;
    }

    boolean isExhausted() {
        return isExhausted(epoch);
    }

    /** The same after a change that was none of the producer's. */
    ProducerIdentity kept() {
        return new ProducerIdentity(id, epoch, lastEpoch, id, nextId);
    }

    /** Whether the epoch is the one to fence with: no producer has it, and none can be fenced by a later one. */
    boolean isFencedForGood() {
        return epoch == Short.MAX_VALUE;
    }

    /** With the next epoch; there has to be one. */
    ProducerIdentity raised(short last, long next) {
        if (isFencedForGood()) {
            throw new IllegalStateException("producer " + id + " has no epoch after " + epoch);
        }
        return new ProducerIdentity(id, (short) (epoch + 1), last, id, next);
    }

    /** With another id, from its first epoch on. */
    ProducerIdentity rotated(long newId, short last) {
        return new ProducerIdentity(newId, (short) 0, last, id, NO_ID);
    }
}
