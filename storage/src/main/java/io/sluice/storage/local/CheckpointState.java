package io.sluice.storage.local;

import io.sluice.storage.local.content.RecoveredLog;
import io.sluice.storage.local.segment.Deletable;
import java.util.ArrayList;
import java.util.List;

/**
 * What the next checkpoint has to do for one log. Guarded by the log's append lock.
 *
 * <p>The anchor is the log's last data record in the catalogue: from there on the journal is needed.
 */
final class CheckpointState {
    private boolean dataDirty;
    private boolean metaDirty;
    private boolean structureDirty;
    private final List<Deletable> deferred = new ArrayList<>(0);
    private int timesCopied;
    private int anchorPosition;
    private boolean earlyForce;

    /** Of a log that was recovered: what the journal added is not in the catalogue. */
    static CheckpointState of(RecoveredLog log) {
        CheckpointState state = new CheckpointState();
        state.anchorPosition = log.anchorPosition();
        state.dataDirty = log.isDataReplayed();
        state.metaDirty = log.isMetaReplayed();
        // Of one that bypasses the journal a checkpoint copies nothing forward: what the journal brought back is
        // forced.
        state.structureDirty =
                log.isRolled() || (log.isDataReplayed() && log.contents().memory());
        if (!log.dropped().isEmpty()) {
            state.deferDeletion(log.dropped());
        }
        return state;
    }

    /** A batch was appended to the segment that the anchor ends in. */
    void onAppend() {
        dataDirty = true;
    }

    /** Epochs, the log start offset or the flags have changed. */
    void onMetaChange() {
        metaDirty = true;
    }

    /**
     * Files are no longer part of the log, and stay until the catalogue knows that: segments of one that bypasses the journal,
     * because a scan would need them for what is known of producers; segments that were cleaned, and aborted transactions,
     * because the catalogue names them.
     */
    void deferDeletion(List<? extends Deletable> files) {
        deferred.addAll(files);
        onStructureChange();
    }

    /** Files that can go once the data record that is being taken is durable. */
    List<Deletable> takeDeferred() {
        List<Deletable> taken = List.copyOf(deferred);
        deferred.clear();
        return taken;
    }

    /** Segments began or were replaced: only a new data record will do. */
    void onStructureChange() {
        dataDirty = true;
        structureDirty = true;
    }

    boolean isDataDirty() {
        return dataDirty;
    }

    boolean isMetaDirty() {
        return metaDirty;
    }

    /** Whether copying the tail forward in the journal is not enough. */
    boolean isStructureDirty() {
        return structureDirty;
    }

    /** How often the tail was copied forward since the anchor. */
    int timesCopied() {
        return timesCopied;
    }

    /** Bytes of the active segment that the anchor covers; meaningless while the structure is dirty. */
    int anchorPosition() {
        return anchorPosition;
    }

    /** Whether no {@link EarlyForce} of the log waits or runs; from now on one does. */
    boolean beginEarlyForce() {
        boolean begins = !earlyForce;
        earlyForce = true;
        return begins;
    }

    void endEarlyForce() {
        earlyForce = false;
    }

    void onMetaSaved() {
        metaDirty = false;
    }

    void onCopied() {
        timesCopied++;
    }

    /** A data record is about to be in the catalogue that covers so many bytes of the active segment. */
    void onAnchored(int activeBytes) {
        anchorPosition = activeBytes;
        dataDirty = false;
        structureDirty = false;
        timesCopied = 0;
    }
}
