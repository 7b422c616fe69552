package io.sluice.broker.fetch;

import io.sluice.storage.log.EpochEndOffset;
import io.sluice.storage.log.LogSlice;
import io.sluice.storage.log.ReadResult;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** What a fetch will say of one partition. Owns the records that were read for it, until they are taken or dropped. */
final class PartitionAnswer {
    private Errors error = Errors.NONE;
    private long visibleOffset = FetchAnswers.NO_OFFSET;
    private long lastStableOffset = FetchAnswers.NO_OFFSET;
    private long logStartOffset = FetchAnswers.NO_OFFSET;
    private List<ReadResult.AbortedTransaction> abortedTransactions = List.of();
    private @Nullable LogSlice records;
    private boolean served;
    private int leaderId = -1;
    private int leaderEpoch = -1;
    private @Nullable EpochEndOffset divergingEpoch;

    void reset() {
        dropRecords();
        error = Errors.NONE;
        visibleOffset = FetchAnswers.NO_OFFSET;
        lastStableOffset = FetchAnswers.NO_OFFSET;
        logStartOffset = FetchAnswers.NO_OFFSET;
        abortedTransactions = List.of();
        leaderId = -1;
        leaderEpoch = -1;
        divergingEpoch = null;
    }

    void fail(Errors why) {
        dropRecords();
        error = why;
        visibleOffset = FetchAnswers.NO_OFFSET;
        lastStableOffset = FetchAnswers.NO_OFFSET;
        logStartOffset = FetchAnswers.NO_OFFSET;
    }

    void setOffsets(long visible, long lastStable, long logStart) {
        visibleOffset = visible;
        lastStableOffset = lastStable;
        logStartOffset = logStart;
    }

    /** Takes over what was read. */
    void setRecords(ReadResult.Records read) {
        setOffsets(read.visibleOffset(), read.lastStableOffset(), read.logStartOffset());
        abortedTransactions = read.abortedTransactions();
        if (read.slice().sizeInBytes() == 0) {
            read.slice().release();
        } else {
            records = read.slice();
            served = true;
        }
    }

    void setLeader(int id, int epoch) {
        leaderId = id;
        leaderEpoch = epoch;
    }

    /** Compares what a reader fetched last with what the log has under that epoch (KIP-595). */
    Errors compareEpoch(EpochEndOffset known, int lastFetchedEpoch, long fetchOffset) {
        if (known.leaderEpoch() < 0 || known.endOffset() < 0) {
            return Errors.OFFSET_OUT_OF_RANGE;
        }
        if (known.leaderEpoch() < lastFetchedEpoch || known.endOffset() < fetchOffset) {
            divergingEpoch = known;
        }
        return Errors.NONE;
    }

    void dropRecords() {
        LogSlice dropped = records;
        records = null;
        served = false;
        if (dropped != null) {
            dropped.release();
        }
    }

    /** The records; the caller's to release from now on. */
    @Nullable LogSlice takeRecords() {
        LogSlice taken = records;
        records = null;
        return taken;
    }

    /** Whether records were read for it, also after they were taken. */
    boolean isServed() {
        return served;
    }

    Errors error() {
        return error;
    }

    long visibleOffset() {
        return visibleOffset;
    }

    long lastStableOffset() {
        return lastStableOffset;
    }

    long logStartOffset() {
        return logStartOffset;
    }

    List<ReadResult.AbortedTransaction> abortedTransactions() {
        return abortedTransactions;
    }

    int recordBytes() {
        return records == null ? 0 : records.sizeInBytes();
    }

    long recordCount() {
        return records == null ? 0 : records.recordCount();
    }

    int leaderId() {
        return leaderId;
    }

    int leaderEpoch() {
        return leaderEpoch;
    }

    boolean hasDivergingEpoch() {
        return divergingEpoch != null;
    }

    @Nullable EpochEndOffset divergingEpoch() {
        return divergingEpoch;
    }
}
