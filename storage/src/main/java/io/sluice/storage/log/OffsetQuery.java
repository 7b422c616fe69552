package io.sluice.storage.log;

import java.util.concurrent.Executor;

/**
 * A search for an offset.
 *
 * @param timestamp milliseconds since 1970, or one of the constants (KIP-79, KIP-734, KIP-405)
 * @param limit how far the asker may see
 * @param executor where the answer is given
 */
public record OffsetQuery(long timestamp, ReadRequest.Limit limit, Executor executor) {
    /** The visible or last stable offset. */
    public static final long LATEST = -1;
    /** The log start offset. */
    public static final long EARLIEST = -2;
    /** The record with the largest timestamp. */
    public static final long MAX_TIMESTAMP = -3;
    /** The log start offset of what is on this node. */
    public static final long EARLIEST_LOCAL = -4;

    /** What was found. */
    public sealed interface Result {
        /** Found; timestamp -1 and epoch -1 where they do not apply. */
        record Found(long offset, long timestamp, int leaderEpoch) implements Result {}

        /** No record is that late. */
        record Nothing() implements Result {}

        /** The log is gone, or the disk failed. */
        record Failed(String detail) implements Result {}
    }
}
