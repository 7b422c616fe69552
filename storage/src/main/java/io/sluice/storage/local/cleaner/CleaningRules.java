package io.sluice.storage.local.cleaner;

import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.RecordCursor;
import io.sluice.storage.local.producer.TransactionIndex;

/**
 * What stays in a compacted log: the newest record of each key, tombstones and transaction markers until their time is
 * over (KIP-534: the time begins with the first cleaning that finds nothing else of theirs), and nothing of aborted
 * transactions.
 *
 * @param keys newest offsets of the keys between the last cleaning and {@code cleanEndOffset}
 * @param transactions of the log
 * @param nowMillis on the clock of ages
 * @param deleteRetentionMillis how long tombstones and markers stay
 */
record CleaningRules(KeyMap keys, TransactionIndex transactions, long nowMillis, long deleteRetentionMillis) {
    /** Whether nothing of the batch stays because its transaction was aborted. */
    boolean isAborted(BatchView batch) {
        return batch.isTransactional()
                && !batch.isControl()
                && transactions.isAborted(batch.producerId(), batch.baseOffset());
    }

    /** Whether the time of the tombstones or the marker in a batch is over. */
    boolean isHorizonPassed(BatchView batch) {
        return batch.hasDeleteHorizon() && batch.baseTimestamp() <= nowMillis;
    }

    /** Until when tombstones and markers stay that are found now for the first time. */
    long newHorizon() {
        return nowMillis + deleteRetentionMillis;
    }

    /** Whether a record is the newest of its key; one without a key has no place in such a log. */
    boolean isNewest(RecordCursor record) {
        if (record.keyLength() < 0) {
            return false;
        }
        return record.offset() >= keys.get(record.bytes(), record.keyIndex(), record.keyLength());
    }
}
