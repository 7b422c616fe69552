package io.sluice.coordinator.transaction;

import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Who gets a transactional id (KIP-98, KIP-360): each producer that asks gets the next epoch, which fences the one before. One
 * that says who it is gets it only where it still is that.
 *
 * @param expected whom the client takes itself for, or null
 * @param timeoutMillis for its transactions
 * @param spareId a producer id to give out where one is needed, or -1
 */
record InitProducerIdRules(@Nullable Expected expected, int timeoutMillis, long spareId, long nowMillis) {
    /** A producer id and epoch of the request. */
    record Expected(long producerId, short epoch) {}

    Decision decide(@Nullable IdState current) {
        if (current == null) {
            return spareId == ProducerIdentity.NO_ID
                    ? new Decision.NeedsProducerId()
                    : Decision.Change.to(IdState.created(spareId, timeoutMillis, nowMillis));
        }
        if (current.isPrepared()) {
            return new Decision.Refuse(Errors.CONCURRENT_TRANSACTIONS);
        }
        if (expected != null && !isKnown(current.producer(), expected)) {
            return new Decision.Refuse(Errors.PRODUCER_FENCED);
        }
        if (current.isOngoing()) {
            // One that says who it is asks again with the same epoch; another takes the place of whoever has it.
            IdState aborting = current.fenced(expected != null, nowMillis);
            return new Decision.Change(aborting, Errors.CONCURRENT_TRANSACTIONS, aborting.producer());
        }
        return next(current);
    }

    /** The epoch is looked at later, but where the id was given up because its epochs were used up. */
    private static boolean isKnown(ProducerIdentity producer, Expected expected) {
        return expected.producerId() == producer.id()
                || (expected.producerId() == producer.previousId() && ProducerIdentity.isExhausted(expected.epoch()));
    }

    private Decision next(IdState current) {
        ProducerIdentity producer = current.producer();
        if (expected == null) {
            return producer.isExhausted()
                    ? rotate(current, ProducerIdentity.NO_EPOCH)
                    : initialize(current, producer.raised(ProducerIdentity.NO_EPOCH, producer.nextId()));
        }
        if (expected.epoch() == producer.epoch()) {
            return producer.isExhausted()
                    ? rotate(current, producer.epoch())
                    : initialize(current, producer.raised(producer.epoch(), producer.nextId()));
        }
        if (expected.epoch() != producer.lastEpoch()) {
            return new Decision.Refuse(Errors.PRODUCER_FENCED);
        }
        // Repeated: another producer would have set the last epoch to -1.
        return producer.isFencedForGood() ? rotate(current, expected.epoch()) : initialize(current, producer);
    }

    private Decision rotate(IdState current, short lastEpoch) {
        return spareId == ProducerIdentity.NO_ID
                ? new Decision.NeedsProducerId()
                : initialize(current, current.producer().rotated(spareId, lastEpoch));
    }

    private Decision initialize(IdState current, ProducerIdentity next) {
        return Decision.Change.to(current.initialized(next, timeoutMillis, nowMillis));
    }
}
