package io.sluice.storage.local;

import io.sluice.protocol.record.MalformedBatchException;
import io.sluice.storage.local.content.LogIdentity;
import io.sluice.storage.local.segment.Segment;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once, while the process runs, which batches the cleaner keeps whole because it cannot read them. For the cleaner's
 * thread.
 */
final class UnreadableBatches {
    private static final Logger LOG = LoggerFactory.getLogger(UnreadableBatches.class);
    private static final int MAX_REPORTED = 10_000;

    private final Long2ObjectHashMap<LongHashSet> reported = new Long2ObjectHashMap<>();
    private int count;

    /** Says it, unless it has been said; returns whether it did. Silent after {@value #MAX_REPORTED} batches. */
    boolean report(LogIdentity log, Segment segment, int position, long offset, MalformedBatchException why) {
        if (count >= MAX_REPORTED
                || !reported.computeIfAbsent(log.logId(), first -> new LongHashSet())
                        .add(offset)) {
            return false;
        }
        count++;
        LOG.warn(
                "the cleaner keeps a batch whole because its records cannot be read partition={} file={} position={}"
                        + " offset={} reason={}",
                log.displayName(),
                segment.file().path(),
                position,
                offset,
                why.getMessage());
        return true;
    }

    /** How many batches have been reported. */
    int count() {
        return count;
    }
}
