package io.sluice.coordinator.transaction;

import org.apache.kafka.common.protocol.Errors;

/** What the rules make of a request. */
sealed interface Decision {
    /** Nothing changes. */
    record Refuse(Errors error) implements Decision {}

    /** What was asked for has been done before: the answer is success, for the producer as it is. */
    record Repeat(ProducerIdentity producer) implements Decision {}

    /**
     * The id comes to another state, and the answer goes out when that is durable.
     *
     * @param error what it says: NONE, or CONCURRENT_TRANSACTIONS where a transaction had to be aborted first
     * @param producer whom the answer names
     */
    record Change(IdState next, Errors error, ProducerIdentity producer) implements Decision {
        static Change to(IdState next) {
            return new Change(next, Errors.NONE, next.producer());
        }
    }

    /** It needs a new producer id: ask again with one. */
    record NeedsProducerId() implements Decision {}
}
