package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.journal.Journal;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.local.aborted.AbortedChunk;
import io.sluice.storage.local.aborted.AbortedTransactions;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.Deletable;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.LogState;
import java.io.IOException;
import java.util.List;

/** One log's part of a checkpoint. */
final class LogCheckpoint {
    private static final int MAX_COPIES = 3;
    private static final int FIRST_BODY_BYTES = 256;

    private final LocalLogs logs;
    private final LocalPartitionLog log;
    private final LogContents contents;
    private final int smallTailBytes;
    private final CheckpointState state;
    private List<Deletable> deletable = List.of();
    private boolean metaTaken;
    private boolean dataTaken;

    /**
     * The part of this log.
     *
     * @param smallTailBytes tails up to this size are copied forward instead of forcing their segment, because a force
     *     costs as much as writing them
     */
    LogCheckpoint(LocalLogs logs, LocalPartitionLog log, int smallTailBytes) {
        this.smallTailBytes = smallTailBytes;
        this.logs = logs;
        this.log = log;
        this.contents = log.contents();
        this.state = log.checkpointState();
    }

    /**
     * Makes what the log has appended releasable.
     *
     * @param slice takes the records that the catalogue has to hold for that, and the segments that have to be forced before
     */
    void run(CheckpointSlice slice) throws IOException {
        moveAborted();
        ByteBuf data;
        List<Segment> notForced;
        synchronized (contents) {
            if (log.state() == LogState.DELETED && !logs.isDeletionPending(log)) {
                return;
            }
            if (state.isMetaDirty()) {
                ByteBuf meta = Unpooled.buffer(FIRST_BODY_BYTES);
                contents.writeMeta(meta);
                slice.addMeta(contents, meta);
                state.onMetaSaved();
                metaTaken = true;
            }
            List<AbortedChunk> dropped = contents.aborted().takeDropped();
            if (!dropped.isEmpty()) {
                state.deferDeletion(dropped);
            }
            if (!state.isDataDirty() || isLeftAsItIs()) {
                return;
            }
            data = Unpooled.buffer(contents.dataBytes());
            contents.writeData(data);
            deletable = state.takeDeferred();
            notForced = Checkpointer.notForced(contents.segments());
            Segment active = contents.active();
            state.onAnchored(active == null ? 0 : active.sizeBytes());
            dataTaken = true;
        }
        slice.addData(contents, data, notForced, deletable);
    }

    /** The catalogue would have them again with every checkpoint: it gets those that are new, and names the files of others. */
    private void moveAborted() {
        AbortedTransactions aborted = contents.aborted();
        if (aborted.isMoveDue() && log.state() != LogState.DELETED) {
            AbortedTransactions.Move move = aborted.prepareMove(contents.abortedChunks());
            synchronized (contents) {
                move.finish();
                state.onStructureChange();
            }
        }
    }

    /** The catalogue does not get what the slice took: the next checkpoint takes it anew. */
    void putBack() {
        synchronized (contents) {
            if (metaTaken) {
                state.onMetaChange();
            }
            if (dataTaken) {
                state.deferDeletion(deletable);
            }
        }
    }

    /** A small tail stays out of the segment's durable part: copied forward, or, bypassing the journal, found by a scan. */
    private boolean isLeftAsItIs() throws IOException {
        Segment active = contents.active();
        if (active == null || state.isStructureDirty()) {
            return false;
        }
        int tail = active.sizeBytes() - state.anchorPosition();
        if (tail > smallTailBytes) {
            return false;
        }
        if (!log.isJournaled()) {
            return true;
        }
        return state.timesCopied() < MAX_COPIES && maybeCopyForward(active, tail);
    }

    /** Without memory for a copy the segment is forced. */
    private boolean maybeCopyForward(Segment active, int tail) throws IOException {
        try {
            return copyForward(active, tail);
        } catch (MemoryExhaustedException e) {
            return false;
        }
    }

    private boolean copyForward(Segment active, int tail) throws IOException {
        ByteBuf bytes = LogReader.readTail(logs, active, state.anchorPosition(), tail);
        try {
            int batches = reserveAll(bytes, tail);
            if (batches < 0) {
                return false;
            }
            BatchView view = new BatchView();
            long logId = contents.identity().logId();
            for (int at = 0; at < tail; at = view.endIndex()) {
                view.wrap(bytes, at);
                ByteBuf batch = bytes.slice(at, view.sizeInBytes());
                logs.journal().append(JournalEntryKind.BATCH, logId, view.baseOffset(), batch);
            }
            state.onCopied();
            logs.metrics().copiedForwardBytes().add(tail);
            return true;
        } finally {
            bytes.release();
        }
    }

    /** Sets room aside for all batches, or for none; returns how many there are, or -1. */
    private int reserveAll(ByteBuf bytes, int tail) {
        Journal journal = logs.journal();
        int batches = 0;
        int at = 0;
        while (at < tail) {
            long size = BatchView.isWholeAt(bytes, at, bytes.writerIndex()) ? BatchView.sizeAt(bytes, at, tail) : -1;
            if (size < 0 || !journal.tryReserveForCheckpoint((int) size)) {
                cancel(bytes, at);
                return -1;
            }
            at += (int) size;
            batches++;
        }
        return batches;
    }

    private void cancel(ByteBuf bytes, int end) {
        int at = 0;
        while (at < end) {
            int size = (int) BatchView.sizeAt(bytes, at, end);
            logs.journal().cancelReservation(size);
            at += size;
        }
    }
}
