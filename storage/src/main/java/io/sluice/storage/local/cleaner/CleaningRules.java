package io.sluice.storage.local.cleaner;

import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.RecordCursor;
import io.sluice.storage.local.aborted.AbortedView;
import java.io.IOException;

/**
 * What stays in a compacted log: the newest record of each key, tombstones and transaction markers until their time is
 * over (KIP-534: the time begins with the first cleaning that finds nothing else of theirs), and nothing of aborted
 * transactions. Of what lies behind the end of the map everything stays, and no time begins: the records that a tombstone
 * there removes are still in the log. So that readers reach its end, the last batch of what is cleaned stays, be it without
 * records.
 *
 * @param keys newest offsets of the keys between the last cleaning and {@code mapEndOffset}, perhaps of some behind
 * @param mapEndOffset the keys of all records below are in the map, or have been in that of an earlier cleaning
 * @param cleanableEndOffset where what may be cleaned ends; not below {@code mapEndOffset}
 * @param cleanedUpTo up to where the last cleaning that was ended has come
 * @param aborted the log's aborted transactions
 * @param nowMillis on the clock of ages
 * @param deleteRetentionMillis how long tombstones and markers stay
 */
record CleaningRules(
        KeyMap keys,
        long mapEndOffset,
        long cleanableEndOffset,
        long cleanedUpTo,
        AbortedView aborted,
        long nowMillis,
        long deleteRetentionMillis) {
    /** Whether the map has come to no record of the batch. */
    boolean isBehindMap(BatchView batch) {
        return batch.baseOffset() >= mapEndOffset;
    }

    /** Whether the map has not come to a record: it stays, also a tombstone whose time is over, for an older value may. */
    boolean isBehindMap(RecordCursor record) {
        return record.offset() >= mapEndOffset;
    }

    /** Whether the map has come past the batch. */
    boolean isMapped(BatchView batch) {
        return batch.nextOffset() <= mapEndOffset;
    }

    /** Whether nothing may be cleaned behind the batch. */
    boolean isLast(BatchView batch) {
        return batch.nextOffset() == cleanableEndOffset;
    }

    /** Whether nothing of the batch stays because its transaction was aborted. */
    boolean isAborted(BatchView batch) throws IOException {
        return batch.isTransactional()
                && !batch.isControl()
                && aborted.isAborted(batch.producerId(), batch.baseOffset());
    }

    /**
     * Whether a cleaning that came past the batch was ended: of an aborted transaction readers are told until then, and they
     * would take what its producer sends later for a part of it if they did not see its marker.
     */
    boolean wasCleaned(BatchView batch) {
        return batch.nextOffset() <= cleanedUpTo;
    }

    /** Whether the time of the tombstones or the marker in a batch is over. */
    boolean isHorizonPassed(BatchView batch) {
        return batch.hasDeleteHorizon() && batch.baseTimestamp() <= nowMillis;
    }

    /** Until when tombstones and markers stay that are found now for the first time. */
    long newHorizon() {
        return nowMillis + deleteRetentionMillis;
    }

    /** Whether a record may be the newest of its key; one without a key has no place in such a log. */
    boolean isNewest(RecordCursor record) {
        if (isBehindMap(record)) {
            return true;
        }
        if (record.keyLength() < 0) {
            return false;
        }
        return record.offset() >= keys.get(record.bytes(), record.keyIndex(), record.keyLength());
    }
}
