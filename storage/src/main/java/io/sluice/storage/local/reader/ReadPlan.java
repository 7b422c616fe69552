package io.sluice.storage.local.reader;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.storage.local.content.EpochCache;
import io.sluice.storage.local.segment.Segment;

/**
 * What one read has to do, and with what.
 *
 * @param segments a snapshot of the log's
 * @param offset first offset wanted
 * @param maxBytes not more but for {@code atLeastOneBatch}
 * @param boundOffset batches that begin here or later are left out
 * @param background whether this thread may wait for the disk: then regions of files are checked and used
 * @param indexIntervalBytes for an index that has to be made
 */
@SuppressWarnings("ArrayRecordComponent") // the log's own snapshot, made once per change of segments
public record ReadPlan(
        Segment[] segments,
        EpochCache epochs,
        PositionHints hints,
        ByteBufAllocator allocator,
        long offset,
        int maxBytes,
        boolean atLeastOneBatch,
        long boundOffset,
        boolean background,
        int indexIntervalBytes) {}
