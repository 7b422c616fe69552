package io.sluice.storage.local;

import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.LogState;
import java.util.Arrays;

/**
 * Forces a segment between two checkpoints once it has taken much since it was forced: what many records go to would else be
 * forced at once, by the checkpoint, for as long as the device takes for tens of megabytes, and flushes of the journal would
 * wait for the device meanwhile. Others are left to the checkpoint, so that one force never serves a few bytes. On the
 * maintenance executor, one of each log at a time.
 *
 * <pre>
 * idle --append, so many bytes not forced--> waiting --maintenance--> forcing --> idle
 * </pre>
 */
final class EarlyForce {
    private final LocalLogs logs;
    private final Checkpointer checkpointer;
    private final long limitBytes;

    /**
     * For all logs.
     *
     * @param limitBytes a segment with more that is not forced is forced
     */
    EarlyForce(LocalLogs logs, Checkpointer checkpointer, long limitBytes) {
        this.logs = logs;
        this.checkpointer = checkpointer;
        this.limitBytes = limitBytes;
    }

    /** The log has appended; for the holder of its append lock. */
    void onAppend(LocalPartitionLog log) {
        Segment active = log.contents().active();
        if (active != null && isDue(active) && log.checkpointState().beginEarlyForce()) {
            logs.runInBackground(() -> force(log, active));
        }
    }

    private boolean isDue(Segment segment) {
        return segment.sizeBytes() - segment.forcedBytes() > limitBytes;
    }

    private void force(LocalPartitionLog log, Segment segment) {
        if (isStillDue(log, segment)) {
            checkpointer.forceBetween(segment);
        }
        synchronized (log.contents()) {
            log.checkpointState().endEarlyForce();
        }
    }

    /** A checkpoint may have forced it meanwhile, and its file may be gone; files go on this executor only. */
    private boolean isStillDue(LocalPartitionLog log, Segment segment) {
        LogContents contents = log.contents();
        synchronized (contents) {
            return log.state() == LogState.SERVING
                    && isDue(segment)
                    && Arrays.asList(contents.segments()).contains(segment);
        }
    }
}
