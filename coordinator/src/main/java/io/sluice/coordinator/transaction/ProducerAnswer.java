package io.sluice.coordinator.transaction;

import org.apache.kafka.common.protocol.Errors;

/**
 * What a producer is answered that wants to begin, or to end a transaction.
 *
 * @param needsProducerId whether nothing was decided because it takes a new producer id: ask again with one
 */
record ProducerAnswer(Errors error, long producerId, short producerEpoch, boolean needsProducerId) {
    static ProducerAnswer success(ProducerIdentity producer) {
        return new ProducerAnswer(Errors.NONE, producer.id(), producer.epoch(), false);
    }

    static ProducerAnswer error(Errors error) {
        return new ProducerAnswer(error, ProducerIdentity.NO_ID, ProducerIdentity.NO_EPOCH, false);
    }

    static ProducerAnswer needed() {
        return new ProducerAnswer(
                Errors.COORDINATOR_LOAD_IN_PROGRESS, ProducerIdentity.NO_ID, ProducerIdentity.NO_EPOCH, true);
    }
}
