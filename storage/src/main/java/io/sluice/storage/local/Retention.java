package io.sluice.storage.local;

import io.sluice.storage.config.TopicConfig;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.LogState;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the oldest segments of one log by age and size, by moving its start behind them. Ages are those of records,
 * against a clock that does not jump ahead; a segment whose records have no timestamps is as old as its last append.
 */
final class Retention {
    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

    private final LogContext context;
    private final LocalPartitionLog log;
    private final LogContents contents;
    private final TopicConfig config;
    private final long nowMillis;

    Retention(LogContext context, LocalPartitionLog log, long nowMillis) {
        this.context = context;
        this.log = log;
        this.contents = log.contents();
        this.config = log.config();
        this.nowMillis = nowMillis;
    }

    void run() {
        if (log.state() != LogState.SERVING) {
            return;
        }
        Segment[] segments = contents.segments();
        long target = contents.logStartOffset();
        if (config.deletedByRetention()) {
            rollExpiredActive();
            segments = contents.segments();
            target = Math.max(bySize(segments), byAge(segments));
        }
        target = Math.min(target, log.visibleOffset());
        if (target > contents.logStartOffset()) {
            LogTrim.trim(context, log, target);
        }
    }

    /** The active segment is never deleted; one whose records have all expired is ended so that it can be. */
    private void rollExpiredActive() {
        Segment[] segments = contents.segments();
        Segment active = segments.length == 0 ? null : segments[segments.length - 1];
        if (active != null && isExpired(segments, segments.length - 1)) {
            synchronized (contents) {
                if (contents.active() == active && log.appender().rollNowIfNotEmpty(config, log.isJournaled())) {
                    log.checkpointState().onStructureChange();
                }
            }
        }
    }

    private boolean isExpired(Segment[] segments, int index) {
        long retention = config.retentionMillis();
        return retention != Long.MAX_VALUE
                && segments[index].sizeBytes() > 0
                && nowMillis - newestMillis(segments, index) > retention;
    }

    /** A segment without timestamps whose file somebody has removed is as old as the one after it. */
    private long newestMillis(Segment[] segments, int index) {
        for (int i = index; i < segments.length && segments[i].sizeBytes() > 0; i++) {
            Segment segment = segments[i];
            if (segment.maxTimestamp() >= 0) {
                return segment.maxTimestamp();
            }
            try {
                return segment.lastAppendMillis();
            } catch (NoSuchFileException e) {
                LOG.debug("a segment has no file, its age is that of the next one segment={}", segment);
            } catch (IOException e) {
                LOG.warn("the age of a segment is not known, it stays segment={}", segment, e);
                return nowMillis;
            }
        }
        return nowMillis;
    }

    private long byAge(Segment[] segments) {
        long target = contents.logStartOffset();
        for (int i = 0; i < segments.length - 1 && isExpired(segments, i); i++) {
            target = segments[i].nextOffset();
        }
        return target;
    }

    private long bySize(Segment[] segments) {
        long target = contents.logStartOffset();
        if (config.retentionBytes() == Long.MAX_VALUE) {
            return target;
        }
        long excess = contents.sizeInBytes() - config.retentionBytes();
        for (int i = 0; i < segments.length - 1 && excess >= segments[i].sizeBytes(); i++) {
            excess -= segments[i].sizeBytes();
            target = segments[i].nextOffset();
        }
        return target;
    }
}
