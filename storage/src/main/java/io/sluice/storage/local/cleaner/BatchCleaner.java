package io.sluice.storage.local.cleaner;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchBuilder;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.protocol.record.MalformedBatchException;
import io.sluice.protocol.record.RecordCursor;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Cleans one batch after the other. A batch of which everything stays is passed on as it is; one that loses records is
 * built anew with the offsets and times of what stays. The last one stays without records where it loses all of them. For
 * one thread.
 */
final class BatchCleaner {
    private final CleaningRules rules;
    private final ByteBuf rebuilt;
    private final KeptTransactions transactions;
    private final RecordCursor cursor = new RecordCursor();
    private @Nullable MalformedBatchException unreadable;
    private boolean tombstones;
    private int kept;
    private int seen;

    /** What becomes of a batch. */
    enum Outcome {
        /** It stays as it is. */
        KEEP,
        /** It stays as it is, because its records cannot be read: {@link #unreadable} says why. */
        KEEP_UNREADABLE,
        /** {@link #rebuilt} takes its place. */
        REPLACE,
        /** Nothing of it stays. */
        DROP
    }

    /**
     * A cleaner.
     *
     * @param transactions of which something was kept, in all of this cleaning so far
     * @param rebuilt takes batches that are built anew; the caller's
     */
    BatchCleaner(CleaningRules rules, KeptTransactions transactions, ByteBuf rebuilt) {
        this.rules = rules;
        this.transactions = transactions;
        this.rebuilt = rebuilt;
    }

    /** The batch built anew. */
    ByteBuf rebuilt() {
        return rebuilt;
    }

    /** Why the last batch was kept unread. */
    MalformedBatchException unreadable() {
        return Objects.requireNonNull(unreadable);
    }

    /**
     * Decides about a batch whose CRC is sound. Its records may be damaged all the same, by who compressed them: nothing is
     * known of what they hold, so they all stay.
     *
     * @throws IOException if it is not known whether its transaction was aborted
     */
    Outcome clean(BatchView batch) throws IOException {
        Outcome outcome = decide(batch);
        transactions.onCleaned(batch, outcome != Outcome.DROP && kept > 0);
        return outcome;
    }

    private Outcome decide(BatchView batch) throws IOException {
        kept = batch.recordCount();
        try {
            return cleanReadable(batch);
        } catch (MalformedBatchException e) {
            kept = batch.recordCount();
            unreadable = e;
            return Outcome.KEEP_UNREADABLE;
        }
    }

    private Outcome cleanReadable(BatchView batch) throws IOException {
        if (rules.isBehindMap(batch)) {
            return Outcome.KEEP;
        }
        if (batch.recordCount() == 0) {
            return rules.isLast(batch) ? Outcome.KEEP : Outcome.DROP;
        }
        if (batch.isControl()) {
            return cleanMarker(batch);
        }
        return rules.isAborted(batch) ? drop(batch) : cleanRecords(batch);
    }

    private Outcome cleanRecords(BatchView batch) {
        boolean horizonPassed = rules.isHorizonPassed(batch);
        look(batch, horizonPassed);
        if (kept == 0) {
            return drop(batch);
        }
        boolean needsHorizon = tombstones && !batch.hasDeleteHorizon() && rules.isMapped(batch);
        if (kept == seen && !needsHorizon) {
            return Outcome.KEEP;
        }
        rebuild(batch, horizonPassed, needsHorizon);
        return Outcome.REPLACE;
    }

    private void look(BatchView batch, boolean horizonPassed) {
        tombstones = false;
        kept = 0;
        seen = 0;
        try (RecordCursor records = cursor.open(batch)) {
            while (records.next()) {
                seen++;
                if (stays(records, horizonPassed)) {
                    kept++;
                    tombstones |= records.valueLength() < 0;
                }
            }
        }
    }

    /** Without the last batch readers would wait in front of its offsets until something is appended. */
    private Outcome drop(BatchView batch) {
        kept = 0;
        if (!rules.isLast(batch)) {
            return Outcome.DROP;
        }
        new BatchBuilder(rebuilt.clear(), CompressionCodec.NONE)
                .baseOffset(batch.baseOffset())
                .leaderEpoch(batch.leaderEpoch())
                .producer(batch.producerId(), batch.producerEpoch(), batch.baseSequence())
                .transactional(batch.isTransactional())
                .control(batch.isControl())
                .finish(batch.lastOffset());
        return Outcome.REPLACE;
    }

    private boolean stays(RecordCursor record, boolean horizonPassed) {
        return rules.isBehindMap(record) || (rules.isNewest(record) && !(horizonPassed && record.valueLength() < 0));
    }

    private void rebuild(BatchView batch, boolean horizonPassed, boolean needsHorizon) {
        CompressionCodec codec = Objects.requireNonNull(batch.codec());
        BatchBuilder builder = new BatchBuilder(rebuilt.clear(), codec).like(batch);
        if (needsHorizon) {
            builder.deleteHorizon(rules.newHorizon());
        } else if (batch.hasDeleteHorizon()) {
            builder.deleteHorizon(batch.baseTimestamp());
        }
        try (RecordCursor records = cursor.open(batch)) {
            while (records.next()) {
                if (stays(records, horizonPassed)) {
                    builder.append(records.offset(), records.timestamp(), records);
                }
            }
        }
        builder.finish(batch.lastOffset());
    }

    /**
     * A marker stays until its time is over, which begins when a cleaning first comes past it and nothing of its transaction
     * is left: who loads the log needs it to take what is left for committed.
     */
    private Outcome cleanMarker(BatchView batch) {
        if (transactions.isKept(batch)) {
            return Outcome.KEEP;
        }
        if (rules.isHorizonPassed(batch) && rules.wasCleaned(batch)) {
            return drop(batch);
        }
        if (batch.hasDeleteHorizon()) {
            return Outcome.KEEP;
        }
        BatchBuilder builder = new BatchBuilder(rebuilt.clear(), CompressionCodec.NONE)
                .like(batch)
                .deleteHorizon(rules.newHorizon());
        try (RecordCursor records = cursor.open(batch)) {
            while (records.next()) {
                builder.append(records.offset(), records.timestamp(), records);
            }
        }
        builder.finish(batch.lastOffset());
        return Outcome.REPLACE;
    }
}
