package io.sluice.storage.log;

/**
 * What a log knows of one producer.
 *
 * @param lastTimestamp of its last batch, milliseconds
 * @param currentTransactionStartOffset or -1
 * @param coordinatorEpoch of the last marker, or -1
 */
public record ProducerSnapshot(
        long producerId,
        short producerEpoch,
        int lastSequence,
        long lastTimestamp,
        int coordinatorEpoch,
        long currentTransactionStartOffset) {}
