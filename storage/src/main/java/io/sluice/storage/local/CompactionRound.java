package io.sluice.storage.local;

import io.sluice.protocol.record.MalformedBatchException;
import io.sluice.storage.config.TopicConfig;
import io.sluice.storage.local.aborted.AbortedChunk;
import io.sluice.storage.local.cleaner.LogCleaning;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.LogState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether one log needs cleaning, and cleans it. Segments are replaced in memory at once; the catalogue takes note at
 * the next checkpoint, and only then do the old files go: after a crash before it the log is as it was.
 */
final class CompactionRound implements LogCleaning.Target {
    private static final Logger LOG = LoggerFactory.getLogger(CompactionRound.class);

    private final LogContext context;
    private final LocalPartitionLog log;
    private final LogContents contents;
    private final TopicConfig config;
    private final int keyMapBytes;
    private final UnreadableBatches unreadable;
    private final CleanerProgress progress;
    private final CleanerPace pace;
    private final BooleanSupplier stopped;

    CompactionRound(
            LogContext context,
            LocalPartitionLog log,
            int keyMapBytes,
            UnreadableBatches unreadable,
            CleanerProgress progress,
            CleanerPace pace,
            BooleanSupplier stopped) {
        this.unreadable = unreadable;
        this.progress = progress;
        this.pace = pace;
        this.context = context;
        this.log = log;
        this.contents = log.contents();
        this.config = log.config();
        this.keyMapBytes = keyMapBytes;
        this.stopped = stopped;
    }

    /** Cleans if there is enough to clean. */
    void run() {
        if (!config.compacted() || log.state() != LogState.SERVING) {
            return;
        }
        long now = context.steadyMillis();
        rollOverdue(now);
        List<Segment> cleanable = cleanable(now);
        Amount amount = amount(cleanable, now);
        if (amount.isWorthwhile(config.minCleanableDirtyRatio())) {
            progress.onCleaningBegins(amount.dirty + amount.total);
            pace.begin();
            clean(cleanable, now);
        } else {
            progress.onWaiting(amount.dirty);
        }
    }

    /**
     * What there is to clean.
     *
     * @param total bytes that may be cleaned
     * @param dirty bytes of these that no cleaning has seen
     * @param overdue whether some of those have been out of the cleaner's reach for longer than the topic allows
     */
    private record Amount(long total, long dirty, boolean overdue) {
        boolean isWorthwhile(double minDirtyRatio) {
            return dirty > 0 && (overdue || dirty >= minDirtyRatio * total);
        }
    }

    /** A record may not stay out of the cleaner's reach for longer than the topic allows. */
    private void rollOverdue(long now) {
        Segment active = contents.active();
        boolean overdue = active != null
                && active.sizeBytes() > 0
                && config.maxCompactionLagMillis() != Long.MAX_VALUE
                && now - active.firstTimestamp() > config.maxCompactionLagMillis();
        if (overdue) {
            synchronized (contents) {
                if (contents.active() == active && log.appender().rollNowIfNotEmpty(config, log.isJournaled())) {
                    log.checkpointState().onStructureChange();
                }
            }
        }
    }

    /** All but the active segment, as far as it is known how every transaction ended and the topic's lag has passed. */
    private List<Segment> cleanable(long now) {
        Segment[] segments = contents.segments();
        long bound = log.lastStableOffset();
        for (AbortedChunk lost : contents.lostChunks()) {
            bound = Math.min(bound, lost.lowestFirst());
        }
        List<Segment> found = new ArrayList<>();
        for (Segment segment : Arrays.asList(segments).subList(0, Math.max(0, segments.length - 1))) {
            boolean tooYoung = config.minCompactionLagMillis() > 0
                    && now - segment.maxTimestamp() < config.minCompactionLagMillis();
            boolean unreadable = segment.quarantine().size() > 0 || segment.loss() != null;
            if (segment.nextOffset() > bound || tooYoung || unreadable) {
                break;
            }
            found.add(segment);
        }
        return found;
    }

    private Amount amount(List<Segment> cleanable, long now) {
        long dirty = 0;
        long total = 0;
        boolean overdue = false;
        for (Segment segment : cleanable) {
            total += segment.sizeBytes();
            if (segment.nextOffset() > contents.cleanedUpTo()) {
                dirty += segment.sizeBytes();
                overdue |= config.maxCompactionLagMillis() != Long.MAX_VALUE
                        && now - segment.firstTimestamp() > config.maxCompactionLagMillis();
            }
        }
        return new Amount(total, dirty, overdue);
    }

    private void clean(List<Segment> cleanable, long now) {
        long before = contents.sizeInBytes();
        boolean done = false;
        LogCleaning cleaning = new LogCleaning(contents, config, context.allocator(), keyMapBytes, this::isOver, this);
        try {
            long cleanedUpTo = cleaning.run(cleanable, now);
            synchronized (contents) {
                contents.setCleanedUpTo(Math.max(contents.cleanedUpTo(), cleanedUpTo));
                log.checkpointState().onStructureChange();
            }
            done = !isOver();
            LOG.info(
                    "log compacted log={} cleanedUpTo={} bytesBefore={} bytesAfter={} keys={}{}",
                    contents.identity().displayName(),
                    cleanedUpTo,
                    before,
                    contents.sizeInBytes(),
                    cleaning.keyCount(),
                    cleaning.isMapFull() ? ", all that fit (log.cleaner.dedupe.buffer.size): more rounds follow" : "");
        } catch (IOException e) {
            if (log.state() == LogState.SERVING) {
                LOG.error(
                        "a log cannot be compacted log={}", contents.identity().displayName(), e);
            }
        } finally {
            progress.onCleaningEnds(done);
        }
    }

    private boolean isOver() {
        return stopped.getAsBoolean() || log.state() != LogState.SERVING;
    }

    @Override
    public void onUnreadable(Segment segment, int position, long offset, MalformedBatchException why) {
        unreadable.report(contents.identity(), segment, position, offset, why);
    }

    @Override
    public void onRead(int bytes) {
        progress.onRead(bytes);
        pace.onBytes(bytes);
    }

    @Override
    public void onWritten(int bytes) {
        progress.onWritten(bytes);
        pace.onBytes(bytes);
    }

    @Override
    public boolean replace(List<Segment> old, List<Segment> rewritten) {
        synchronized (contents) {
            if (isOver() || !contents.replace(old, rewritten)) {
                return false;
            }
            log.checkpointState().deferDeletion(old);
            return true;
        }
    }
}
