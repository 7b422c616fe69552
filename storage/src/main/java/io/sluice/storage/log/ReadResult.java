package io.sluice.storage.log;

import java.util.List;

/** What came of a read. */
public sealed interface ReadResult {
    /**
     * Whole batches, possibly none.
     *
     * @param slice the bytes; the receiver releases it
     * @param abortedTransactions those that overlap the batches; empty unless the limit was LAST_STABLE
     */
    record Records(
            LogSlice slice,
            long logStartOffset,
            long visibleOffset,
            long lastStableOffset,
            List<AbortedTransaction> abortedTransactions)
            implements ReadResult {}

    /** The offset is below the start or above the end: OFFSET_OUT_OF_RANGE. */
    record OutOfRange(long logStartOffset, long visibleOffset, long lastStableOffset) implements ReadResult {}

    /** The batch at this offset is damaged and is not served: CORRUPT_MESSAGE. */
    record Corrupt(String file, long position, long offset) implements ReadResult {}

    /** The log is gone or not served here. */
    record NotServed(LogState state) implements ReadResult {}

    /**
     * Too many catch-up readers wait already, or the disk failed: the client may try again.
     *
     * @param lasting whether no later read of these offsets will do better, until the node is started again
     */
    record Failed(String detail, boolean lasting) implements ReadResult {
        /** A failure that may be over by the next read. */
        public Failed(String detail) {
            this(detail, false);
        }
    }

    /** A transaction that was aborted (KIP-98). */
    record AbortedTransaction(long producerId, long firstOffset) {}
}
