package io.sluice.storage.log;

/** What became of an append, known at once. */
public sealed interface AppendResult {
    /**
     * The batch has its place.
     *
     * @param baseOffset offset of its first record
     * @param lastOffset offset of its last record
     * @param logAppendTimeMillis time given to it in a topic with LogAppendTime, else -1
     */
    record Appended(long baseOffset, long lastOffset, long logAppendTimeMillis) implements AppendResult {}

    /** The batch is in the log already; where, and under which time. Not durable until {@code lastOffset + 1} is. */
    record Duplicate(long baseOffset, long lastOffset, long logAppendTimeMillis) implements AppendResult {}

    /**
     * Nothing was changed.
     *
     * @param detail one line for the client, without secrets
     */
    record Refused(Refusal reason, String detail) implements AppendResult {}

    /** Reasons of a refusal. */
    enum Refusal {
        /** This node does not serve the partition: NOT_LEADER_OR_FOLLOWER. */
        NOT_OWNER,
        /** The caller's leader epoch is not the log's: FENCED_LEADER_EPOCH. */
        FENCED,
        /** The bounded buffer is full; try again after {@link PartitionLogStore#awaitCapacity}. */
        FULL,
        /** Frozen, sealed or still recovering: NOT_LEADER_OR_FOLLOWER, retriable. */
        NOT_SERVING,
        /** The partition was deleted: UNKNOWN_TOPIC_OR_PARTITION. */
        DELETED,
        /** Disk full, below the low-space mark, or a failed write: KAFKA_STORAGE_ERROR. */
        STORAGE,
        /** A gap in a producer's sequence numbers: OUT_OF_ORDER_SEQUENCE_NUMBER. */
        OUT_OF_ORDER_SEQUENCE,
        /** A producer epoch older than the newest seen, of data or of a marker: INVALID_PRODUCER_EPOCH. */
        INVALID_PRODUCER_EPOCH,
        /**
         * Transactional data that fits no state, or a marker with a raised epoch under which the producer already has a
         * transaction open, which the marker does not end: INVALID_TXN_STATE.
         */
        INVALID_TRANSACTION_STATE,
        /** A marker of an older coordinator: TRANSACTION_COORDINATOR_FENCED. */
        COORDINATOR_FENCED
    }
}
