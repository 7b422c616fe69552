package io.sluice.storage.local;

import io.sluice.storage.config.TopicConfig;
import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.LogState;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces the segments of a log that bypasses the journal after so many records ({@code flush.messages}) and so much time
 * ({@code flush.ms}), in the background: no acknowledgement waits for it. What is forced survives a power cut, since a
 * start scans what the segments hold. Logs that go through the journal need none of it.
 *
 * <pre>
 * nothing new --append--> [timer, if flush.ms is set] --records or time--> forcing --> nothing new, or the same again
 *                                                                          |   ^
 *                                                                          '---' a second later, if it cannot be opened
 * </pre>
 */
final class MemoryFlush {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryFlush.class);
    private static final long RETRY_MILLIS = 1_000;

    private final LogContext context;
    private final LocalPartitionLog log;
    private final LogContents contents;

    // Guarded by this.
    private long forcedEnd;
    private long end;
    private boolean forcing;
    private boolean timed;

    /** Whether what is to be forced could not be opened the last time; for the thread that forces, which is one at a time. */
    private volatile boolean putOff;

    MemoryFlush(LogContext context, LocalPartitionLog log) {
        this.context = context;
        this.log = log;
        this.contents = log.contents();
        this.forcedEnd = contents.endOffset();
        this.end = forcedEnd;
    }

    /** Records below {@code newEnd} are in the segments. */
    void onAppend(long newEnd) {
        TopicConfig config = log.config();
        if (config.flushRecords() == Long.MAX_VALUE && config.flushMillis() == Long.MAX_VALUE) {
            return;
        }
        synchronized (this) {
            end = Math.max(end, newEnd);
        }
        next(false);
    }

    private void next(boolean timeIsUp) {
        TopicConfig config = log.config();
        boolean later = false;
        synchronized (this) {
            timed &= !timeIsUp;
            long waiting = end - forcedEnd;
            if (forcing || waiting <= 0) {
                return;
            }
            if (timeIsUp || waiting >= config.flushRecords()) {
                forcing = true;
            } else {
                later = !timed && config.flushMillis() != Long.MAX_VALUE;
                timed |= later;
                if (!later) {
                    return;
                }
            }
        }
        if (later) {
            context.runInBackgroundAfter(config.flushMillis(), () -> next(true));
        } else {
            context.runInBackground(this::force);
        }
    }

    private void force() {
        long covered;
        List<Segment> segments;
        synchronized (contents) {
            if (log.state() != LogState.SERVING) {
                return;
            }
            covered = contents.endOffset();
            segments = Checkpointer.notForced(contents.segments());
        }
        try {
            for (Segment segment : segments) {
                segment.onForced(segment.force());
            }
            LogDirectory.forceParents(List.of(contents.directory()));
        } catch (CannotOpenException e) {
            maybeWarn(e);
            context.runInBackgroundAfter(RETRY_MILLIS, this::force);
            return;
        } catch (IOException e) {
            if (log.state() == LogState.SERVING) {
                context.fence(e);
            }
            return;
        }
        putOff = false;
        synchronized (this) {
            forcing = false;
            forcedEnd = Math.max(forcedEnd, covered);
        }
        next(false);
    }

    /** Once for each time that it had to wait. */
    private void maybeWarn(CannotOpenException cause) {
        if (!putOff) {
            LOG.warn("a log cannot be forced as its settings ask; it is tried again every second", cause);
        }
        putOff = true;
    }
}
