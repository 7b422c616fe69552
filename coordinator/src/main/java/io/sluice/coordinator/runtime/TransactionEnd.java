package io.sluice.coordinator.runtime;

/**
 * How a transaction ended, as its marker says it in each partition.
 *
 * @param coordinatorEpoch the leader epoch under which the coordinator was elected; an older one is refused
 * @param transactionVersion 2 where the marker bears a raised epoch (KIP-890), else 0 or 1
 */
public record TransactionEnd(
        long producerId, short producerEpoch, int coordinatorEpoch, boolean commit, short transactionVersion) {}
