package io.sluice.storage.log;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;

/**
 * An ordered log of record batches that one owner appends to and anybody reads: the seam below which the engines differ.
 *
 * <p>Offsets: {@code logStartOffset <= lastStableOffset <= visibleOffset <= durableOffset <= endOffset}, where the last
 * three are exclusive ends. Consumers read below the visible offset; read_committed ones below the last stable offset.
 *
 * <p>Threads: every method may be called from every thread and none blocks on a disk or a peer. Listeners run on their
 * own executors.
 */
public interface PartitionLog {
    /** No verification. */
    long NO_GUARD = 0;

    /** What {@link #beginVerification} returns to a producer that has been fenced. */
    long STALE_EPOCH = -1;

    /** What {@link #beginVerification} returns where nobody more can be verified for the moment. */
    long TOO_MANY = -2;

    /** Which partition this is. */
    PartitionId id();

    /** Where its life has got to. */
    LogState state();

    /** The epoch under which it is served now. */
    int leaderEpoch();

    /** First offset that can be read. */
    long logStartOffset();

    /** Next offset to be appended. */
    long endOffset();

    /** Everything below is on stable storage. */
    long durableOffset();

    /** What consumers may read (Kafka's high watermark). */
    long visibleOffset();

    /** Below it no transaction is open. Never above the visible offset. */
    long lastStableOffset();

    /**
     * Appends one record batch (magic 2) whose header and CRC have been checked. The log writes base offset and leader
     * epoch into the batch in place; it has its own copy, or its own reference, when this returns, and the caller keeps
     * its reference and must not change the bytes afterwards.
     *
     * <p>A returned {@link AppendResult.Appended} is a promise of order, not of durability: wait with {@link
     * #awaitDurable} before acknowledging. A duplicate of an idempotent producer comes back as {@link
     * AppendResult.Duplicate} with the original's offsets and must be waited for in the same way.
     *
     * <p>The first batch of a transaction is taken only with the guard of a verification that nothing has come in between of
     * ({@link #beginVerification}), else it is refused as INVALID_TRANSACTION_STATE.
     *
     * @param batch readable bytes are exactly one batch
     * @param leaderEpoch the epoch the caller believes in; another one is refused
     * @param origin who appends, which decides what is validated
     * @param guard what {@link #beginVerification} returned, else {@link #NO_GUARD}
     */
    AppendResult append(ByteBuf batch, int leaderEpoch, AppendOrigin origin, long guard);

    /** Appends what begins no transaction. */
    default AppendResult append(ByteBuf batch, int leaderEpoch, AppendOrigin origin) {
        return append(batch, leaderEpoch, origin, NO_GUARD);
    }

    /**
     * Asked before a transactional batch of a producer or a group coordinator is appended (KIP-890). Where the producer has
     * no transaction of this epoch open here, the caller has to have it verified by its coordinator, and then appends with the
     * guard.
     *
     * @param firstSequence of the batch, -1 where it has none
     * @param raisesEpoch whether the producer's epoch is raised with each transaction
     * @return the guard; {@link #NO_GUARD} where nothing has to be verified; {@link #STALE_EPOCH} where the epoch is older
     *     than the newest seen; {@link #TOO_MANY} where too many producers are being verified: try again
     */
    long beginVerification(long producerId, short producerEpoch, int firstSequence, boolean raisesEpoch);

    /** The verification was refused for good: its guard is worth nothing from now on. */
    void endVerification(long producerId, long guard);

    /**
     * Calls the listener once everything below {@code offset} is durable, or its outcome is unknown. Listeners of one log
     * are called in the order of their offsets; one that is durable already is called too, on its executor.
     */
    void awaitDurable(long offset, DurabilityListener listener);

    /**
     * Reads whole batches from the one that holds {@code request.offset()} on. The result may arrive before this returns
     * or later, on the request's executor; exactly one result arrives unless the read is cancelled first.
     */
    ReadHandle read(ReadRequest request, ReadListener listener);

    /** Finds an offset by time or kind (ListOffsets). The result arrives on the request's executor. */
    void findOffset(OffsetQuery query, java.util.function.Consumer<OffsetQuery.Result> listener);

    /** The end offset of the last batch written under {@code leaderEpoch} or the nearest one before it (KIP-101, KIP-320). */
    EpochEndOffset endOffsetForEpoch(int leaderEpoch);

    /**
     * Moves the log start offset up and frees what lies below (DeleteRecords). The stage completes when that is durable.
     * An offset of -1 means the visible offset.
     *
     * @return the new log start offset; fails with {@link OffsetOutOfRangeException} beyond the visible offset
     */
    java.util.concurrent.CompletionStage<Long> trim(long offset);

    /**
     * Refuses appends from now on, whoever sends them, and completes once everything before is durable or lost. The log
     * stays readable.
     *
     * @return the final end offset
     */
    java.util.concurrent.CompletionStage<Long> seal(int leaderEpoch);

    /** Adds somebody who wants to know when the visible offset moves. */
    void addVisibilityListener(VisibilityListener listener);

    /** Removes a listener added before. */
    void removeVisibilityListener(VisibilityListener listener);

    /** Bytes of its segments. */
    long sizeInBytes();

    /** The producers it knows (DescribeProducers). */
    java.util.List<ProducerSnapshot> activeProducers();
}
