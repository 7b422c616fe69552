package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.base.error.FileFailures;
import io.sluice.base.time.OncePerInterval;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.config.TopicConfig;
import io.sluice.storage.journal.Journal;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.TornSegmentException;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.AppendResult.Appended;
import io.sluice.storage.log.AppendResult.Refusal;
import io.sluice.storage.log.AppendResult.Refused;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A batch's way into one log: validate the producer, set room in the journal aside, write the segment, append to the
 * journal. Every method requires the append lock. What is refused has changed nothing.
 */
final class LogAppender {
    private static final Logger LOG = LoggerFactory.getLogger(LogAppender.class);

    /** What Kafka counts for an entry of its offset index. */
    private static final int INDEX_ENTRY_BYTES = 8;

    /** Position of an append that does not wait for the journal. */
    static final long NO_POSITION = -1;

    private final LogContext context;
    private final LogContents contents;
    private final BatchView view = new BatchView();
    private long journalPosition = NO_POSITION;
    private boolean rolled;
    private long activeSinceNanos;
    private boolean activeSinceKnown;
    private @Nullable IOException torn;

    LogAppender(LogContext context, LogContents contents) {
        this.context = context;
        this.contents = contents;
    }

    /** Where in the journal the last batch appended ends, or {@link #NO_POSITION} where it is in none. */
    long journalPosition() {
        return journalPosition;
    }

    /** Why the segment ends in a part of a batch that could not be cut off, or null: nothing is appended any more. */
    @Nullable IOException torn() {
        return torn;
    }

    /** Whether the last batch appended began a segment. */
    boolean rolled() {
        return rolled;
    }

    /**
     * Appends, if nothing speaks against it.
     *
     * @param guard of a transaction's verification
     * @param journaled whether the batch goes through the journal
     */
    AppendResult append(
            ByteBuf batch, int leaderEpoch, AppendOrigin origin, long guard, TopicConfig config, boolean journaled) {
        if (torn != null) {
            return new Refused(Refusal.STORAGE, "a write failed; restart the node to recover");
        }
        view.wrap(batch);
        AppendResult decided = contents.producers().check(view, origin, guard);
        if (decided != null) {
            return decided;
        }
        int size = batch.readableBytes();
        boolean roll = needsRoll(config, size);
        if (journaled) {
            Refused refused = reserve(size, roll, origin);
            if (refused != null) {
                return refused;
            }
        }
        long appendTime = prepare(leaderEpoch, config);
        return place(batch, config, journaled, roll, appendTime);
    }

    private @Nullable Refused reserve(int size, boolean roll, AppendOrigin origin) {
        Journal journal = context.journal();
        if (tryReserve(journal, size, roll, origin)) {
            return null;
        }
        if (journal.isFailed()) {
            return new Refused(Refusal.STORAGE, "the journal cannot be written; restart the node to recover");
        }
        IOException shortage = journal.shortage();
        return shortage == null
                ? new Refused(Refusal.FULL, whatLacks(journal.lack()))
                : new Refused(Refusal.STORAGE, "the journal cannot grow: " + shortage.getMessage());
    }

    private static boolean tryReserve(Journal journal, int size, boolean roll, AppendOrigin origin) {
        if (origin != AppendOrigin.CLIENT) {
            return journal.tryReserveForCoordinator(size, roll);
        }
        return roll ? journal.tryReserveWithSegment(size) : journal.tryReserve(size);
    }

    private static String whatLacks(Journal.Lack lack) {
        return switch (lack) {
            case BUFFER -> "the journal's buffer is full";
            case FILE -> "the journal's next file is not ready";
            case REPLAY -> "a restart would replay too much of the journal; the next checkpoint makes room";
        };
    }

    private long prepare(int leaderEpoch, TopicConfig config) {
        view.setBaseOffset(contents.endOffset());
        view.setLeaderEpoch(leaderEpoch);
        if (config.logAppendTime()) {
            return stampAppendTime();
        }
        if (view.isLogAppendTime()) {
            view.setMaxTimestamp(view.maxTimestamp(), false);
        }
        return BatchView.NO_TIMESTAMP;
    }

    /** A batch that was stamped a moment ago, when it was checked, keeps its time unless others have passed it since. */
    private long stampAppendTime() {
        Segment active = contents.active();
        long newest = active == null ? BatchView.NO_TIMESTAMP : active.maxTimestamp();
        if (!view.isLogAppendTime() || view.maxTimestamp() < newest) {
            view.setMaxTimestamp(context.epochMillis(), true);
        }
        return view.maxTimestamp();
    }

    private AppendResult place(ByteBuf batch, TopicConfig config, boolean journaled, boolean roll, long appendTime) {
        int size = batch.readableBytes();
        Segment before = contents.active();
        try {
            if (roll) {
                contents.roll(config.indexIntervalBytes());
            }
            contents.append(batch, view, context.steadyMillis());
        } catch (IOException e) {
            if (roll) {
                contents.undoRoll();
            }
            return onWriteFailure(e, size, journaled, roll);
        }
        if (roll) {
            onRolled(before);
        }
        rolled = roll;
        journalPosition = journaled ? journal(batch, roll) : NO_POSITION;
        context.metrics().appendedBytes().add(size);
        context.metrics().appendedRecords().add(view.lastOffsetDelta() + 1L);
        return new Appended(view.baseOffset(), view.lastOffset(), appendTime);
    }

    private long journal(ByteBuf batch, boolean rolled) {
        Journal journal = context.journal();
        long logId = contents.identity().logId();
        if (rolled) {
            journal.append(JournalEntryKind.SEGMENT, logId, view.baseOffset(), Unpooled.EMPTY_BUFFER);
        }
        return journal.append(JournalEntryKind.BATCH, logId, view.baseOffset(), batch);
    }

    private Refused onWriteFailure(IOException e, int size, boolean journaled, boolean roll) {
        if (journaled) {
            context.journal().cancelReservation(size);
            if (roll) {
                context.journal().cancelReservation(0);
            }
        }
        logRefusal(e);
        if (e instanceof TornSegmentException) {
            torn = e;
        }
        return new Refused(Refusal.STORAGE, "the segment could not be written: " + e.getMessage());
    }

    /** Producers try again many times a second, each of them, and all partitions are alike to a full disk. */
    private void logRefusal(IOException e) {
        long left = context.refusals().permit(context.nanoTime());
        if (left != OncePerInterval.KEPT_BACK) {
            LOG.warn(
                    "an append was refused log={} reason={} alsoSinceLastLine={}",
                    contents.identity().displayName(),
                    FileFailures.text(e),
                    left);
        }
    }

    private boolean needsRoll(TopicConfig config, int size) {
        Segment active = contents.active();
        if (active == null) {
            return true;
        }
        if (active.sizeBytes() == 0) {
            return false;
        }
        long lastOffset = contents.endOffset() + view.lastOffsetDelta();
        return (long) active.sizeBytes() + size > config.segmentBytes()
                || lastOffset - active.baseOffset() > Integer.MAX_VALUE
                || (long) (active.indexEntries() + 1) * INDEX_ENTRY_BYTES > config.segmentIndexBytes()
                || activeAgeMillis(active) >= segmentLifeMillis(config, active);
    }

    /** Age on the monotonic clock; of a segment that was there at start, since its first record as far as that is known. */
    private long activeAgeMillis(Segment active) {
        long now = context.nanoTime();
        if (!activeSinceKnown) {
            long first = active.firstTimestamp();
            long age = first < 0 ? 0 : Math.max(0, context.steadyMillis() - first);
            activeSinceNanos = now - TimeUnit.MILLISECONDS.toNanos(age);
            activeSinceKnown = true;
        }
        return TimeUnit.NANOSECONDS.toMillis(now - activeSinceNanos);
    }

    /** The topic's setting less the segment's share of the jitter, so that not all logs roll at one moment. */
    private long segmentLifeMillis(TopicConfig config, Segment active) {
        long jitter = Math.min(config.segmentJitterMillis(), config.segmentMillis());
        if (jitter <= 0) {
            return config.segmentMillis();
        }
        long mixed = (contents.identity().logId() * 31 + active.baseOffset()) * 0x9E3779B97F4A7C15L;
        return config.segmentMillis() - Math.floorMod(mixed, jitter);
    }

    private void onRolled(@Nullable Segment before) {
        activeSinceNanos = context.nanoTime();
        activeSinceKnown = true;
        if (before != null) {
            context.runInBackground(() -> saveIndex(before));
        }
    }

    private static void saveIndex(Segment segment) {
        try {
            segment.onEnded();
        } catch (IOException e) {
            LOG.warn("the index of a segment was not saved, it will be made again segment={}", segment, e);
        }
    }

    /** Begins a segment now, so that retention can delete the active one. Returns whether it did. */
    boolean rollNowIfNotEmpty(TopicConfig config, boolean journaled) {
        Segment active = contents.active();
        Journal journal = context.journal();
        if (active == null || active.sizeBytes() == 0 || (journaled && !journal.tryReserveForCheckpoint(0))) {
            return false;
        }
        if (journaled) {
            long logId = contents.identity().logId();
            journal.append(JournalEntryKind.SEGMENT, logId, contents.endOffset(), Unpooled.EMPTY_BUFFER);
        }
        contents.roll(config.indexIntervalBytes());
        onRolled(active);
        return true;
    }
}
