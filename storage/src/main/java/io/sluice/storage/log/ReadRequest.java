package io.sluice.storage.log;

import java.util.concurrent.Executor;

/**
 * What to read.
 *
 * @param offset first offset wanted; the batch that holds it comes whole
 * @param maxBytes at most so many bytes, but for {@code atLeastOneBatch}
 * @param atLeastOneBatch whether the first batch comes even if it is larger than {@code maxBytes}
 * @param limit how far the reader may see
 * @param executor where the listener is called if the result does not come at once
 */
public record ReadRequest(long offset, int maxBytes, boolean atLeastOneBatch, Limit limit, Executor executor) {
    /** How far a reader may see. */
    public enum Limit {
        /** read_uncommitted consumers: below the visible offset. */
        VISIBLE,
        /** read_committed consumers: below the last stable offset, with the list of aborted transactions. */
        LAST_STABLE,
        /** Recovery and coordinators loading their state: below the end offset. */
        END
    }
}
