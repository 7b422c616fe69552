package io.sluice.coordinator.runtime;

import java.nio.ByteBuffer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.Deserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns batches back into a coordinator's state and keeps its two offsets in step: <i>written</i> grows strictly (the library
 * fails on an equal one, even on 0 for an empty log) and <i>committed</i> never passes what was visible when loading
 * began; the writer reports the rest once the partition is active. For one thread.
 */
final class RecordReplay {
    /** How many offsets may pass between two marks; each mark lets the library drop its older snapshots. */
    private static final long MARK_INTERVAL = 16_384;

    private static final Logger LOG = LoggerFactory.getLogger(RecordReplay.class);

    private final TopicPartition partition;
    private final CoordinatorPlayback<CoordinatorRecord> playback;
    private final Deserializer<CoordinatorRecord> serde;
    private final LogLoader.LoadWatch watch;
    private long visibleOffset;
    private long written;
    private long committed;
    private long records;

    RecordReplay(
            TopicPartition partition,
            CoordinatorPlayback<CoordinatorRecord> playback,
            Deserializer<CoordinatorRecord> serde,
            LogLoader.LoadWatch watch) {
        this.partition = partition;
        this.playback = playback;
        this.serde = serde;
        this.watch = watch;
    }

    /** Notes how far commits may be marked. */
    void start(long visibleAtStart) {
        visibleOffset = visibleAtStart;
    }

    /** Records replayed so far. */
    long records() {
        return records;
    }

    /** Replays whole batches; returns the offset after the last. Those before {@code fromOffset} are skipped. */
    long replay(MemoryRecords batches, long fromOffset) {
        long next = fromOffset;
        for (MutableRecordBatch batch : batches.batches()) {
            if (batch.lastOffset() >= fromOffset) {
                if (batch.nextOffset() > visibleOffset) {
                    mark(Math.min(next, visibleOffset));
                }
                replay(batch);
                next = batch.nextOffset();
                markSometimes(next);
            }
        }
        return next;
    }

    /** Brings both offsets to the end of the log, which may lie behind the last record that the cleaner left. */
    void finish(long endOffset) {
        markWritten(endOffset);
        if (endOffset <= visibleOffset) {
            markCommitted(endOffset);
        }
    }

    private void replay(MutableRecordBatch batch) {
        for (Record record : batch) {
            records++;
            if (batch.isControlBatch()) {
                replayMarker(batch, record);
            } else {
                replayRecord(batch, record);
            }
        }
    }

    private void replayMarker(MutableRecordBatch batch, Record record) {
        ControlRecordType type = ControlRecordType.parse(record.key());
        if (type == ControlRecordType.COMMIT || type == ControlRecordType.ABORT) {
            playback.replayEndTransactionMarker(
                    batch.producerId(),
                    batch.producerEpoch(),
                    type == ControlRecordType.COMMIT ? TransactionResult.COMMIT : TransactionResult.ABORT);
        }
    }

    private void replayRecord(MutableRecordBatch batch, Record record) {
        ByteBuffer key = record.key();
        ByteBuffer value = record.value();
        try {
            CoordinatorRecord replayed = serde.deserialize(key, value);
            playback.replay(record.offset(), batch.producerId(), batch.producerEpoch(), replayed);
            watch.onRecord(replayed);
        } catch (Deserializer.UnknownRecordTypeException e) {
            LOG.warn(
                    "Record of unknown type {} at offset {} of {} is skipped: a newer version may have written it",
                    e.unknownType(),
                    record.offset(),
                    partition);
        }
    }

    /** Beyond what is visible, every batch end is a place to which commits may come later, so each is marked written. */
    private void markSometimes(long offset) {
        if (offset > visibleOffset) {
            markWritten(offset);
        } else if (offset - committed >= MARK_INTERVAL) {
            mark(offset);
        }
    }

    /** Marks the end of a batch as both; the library reads its committed state only at places that were marked written. */
    private void mark(long offset) {
        markWritten(offset);
        markCommitted(offset);
    }

    private void markWritten(long offset) {
        if (offset > written) {
            written = offset;
            playback.updateLastWrittenOffset(offset);
        }
    }

    private void markCommitted(long offset) {
        if (offset > committed) {
            committed = offset;
            playback.updateLastCommittedOffset(offset);
        }
    }
}
