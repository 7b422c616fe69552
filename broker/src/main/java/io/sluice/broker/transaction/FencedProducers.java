package io.sluice.broker.transaction;

import org.apache.kafka.common.protocol.Errors;

/** How a producer that was fenced is told so (KIP-588). */
public final class FencedProducers {
    private FencedProducers() {}

    /**
     * The error in words that a version knows.
     *
     * @param firstKnowing the first version of the request that knows PRODUCER_FENCED
     */
    public static Errors tell(Errors error, short version, int firstKnowing) {
        return error == Errors.PRODUCER_FENCED && version < firstKnowing ? Errors.INVALID_PRODUCER_EPOCH : error;
    }
}
