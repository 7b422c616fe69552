package io.sluice.storage.local.reader;

import io.sluice.protocol.record.BatchView;
import io.sluice.storage.local.content.EpochCache;
import io.sluice.storage.local.segment.Segment;

/**
 * Checks what a batch's CRC does not cover: that its base offset goes on where the one before it ended, and that its
 * leader epoch is the one its offset was appended under. A rewritten segment has gaps, but still ascends.
 */
record BatchOrder(EpochCache epochs) {
    /** Expected offset where nothing is known of the batch before. */
    static final long UNKNOWN = -1;

    /**
     * Whether a batch can stand where it was found.
     *
     * @param expectedOffset where the batch before it ended, or {@link #UNKNOWN}
     */
    boolean isInPlace(Segment segment, BatchView batch, long expectedOffset) {
        long base = batch.baseOffset();
        if (base < segment.baseOffset() || batch.lastOffsetDelta() < 0 || batch.nextOffset() > segment.nextOffset()) {
            return false;
        }
        boolean appended = segment.name().version() == 0;
        if (expectedOffset != UNKNOWN && (appended ? base != expectedOffset : base < expectedOffset)) {
            return false;
        }
        int epoch = epochs.epochAt(base);
        return epoch < 0 || epoch == batch.leaderEpoch();
    }
}
