package io.sluice.storage.local;

import io.sluice.base.error.FileFailures;
import io.sluice.base.metric.Metric;
import io.sluice.base.time.Scheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the free space of the device every second, and earlier where the appends since the last look may have used
 * half of the room above the mark. Below the mark producers are refused, so that retention, internal topics and the
 * journal still have room; it heals by itself. Looks share the threads of reads: behind a checkpoint, which takes seconds,
 * they would come too late, and producers be refused although there is room. Safe on every thread.
 */
final class SpaceWatch {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceWatch.class);
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** An appended byte is written to the journal and to a segment. */
    private static final int COPIES = 2;

    private final LocalStorageServices services;
    private final Path directory;
    private final long lowBytes;
    private final AtomicLong appendedSinceLook = new AtomicLong();
    private final AtomicBoolean earlyLook = new AtomicBoolean();
    private volatile long roomAboveMark = Long.MAX_VALUE;
    private volatile boolean low;
    private volatile boolean unknown;
    private volatile boolean stopped;
    private volatile Scheduler.@Nullable Timer timer;

    /** A mark of 0 switches it off: then the file system alone says when it is full. */
    SpaceWatch(LocalStorageServices services, Path directory, long lowBytes) {
        this.services = services;
        this.directory = directory;
        this.lowBytes = lowBytes;
    }

    /** Whether producers are to be refused: below the mark, or at it as far as the appends since the last look tell. */
    boolean isLow() {
        return low || COPIES * appendedSinceLook.get() > roomAboveMark;
    }

    void onAppended(int bytes) {
        long used = COPIES * appendedSinceLook.addAndGet(bytes);
        if (used > roomAboveMark / 2 && earlyLook.compareAndSet(false, true)) {
            lookSoon();
        }
    }

    void start() {
        services.metrics().gauge(Metric.LOG_LOW_SPACE_MARK_BYTES, () -> lowBytes);
        services.metrics().gauge(Metric.LOG_LOW_ON_SPACE, () -> isLow() ? 1 : 0);
        lookEverySecond();
    }

    void stop() {
        stopped = true;
        Scheduler.Timer current = timer;
        if (current != null) {
            current.cancel();
        }
    }

    /** What was appended is in the journal: that nobody looks any more, because the node is stopping, is not its failure. */
    private void lookSoon() {
        try {
            services.readers().execute(this::lookEarly);
        } catch (RejectedExecutionException e) {
            LOG.debug("the executor of looks at free space has shut down", e);
        }
    }

    private void lookEarly() {
        earlyLook.set(false);
        look();
    }

    private void lookEverySecond() {
        if (stopped) {
            return;
        }
        look();
        timer = services.scheduler().schedule(this::lookEverySecond, PERIOD_NANOS, services.readers());
    }

    private void look() {
        if (lowBytes == 0) {
            return;
        }
        // Before the look: what is appended in between counts twice rather than not at all.
        appendedSinceLook.set(0);
        try {
            onFree(services.fileSystem().usableSpace(directory));
            unknown = false;
        } catch (IOException e) {
            if (!unknown) {
                LOG.warn("free space is not known directory={} reason={}", directory, FileFailures.text(e));
            }
            unknown = true;
        }
    }

    private void onFree(long free) {
        roomAboveMark = Math.max(0, free - lowBytes);
        boolean now = free < lowBytes;
        if (now != low) {
            low = now;
            LOG.warn(
                    "free space {} directory={} freeBytes={} markBytes={} (sluice.low.space.bytes)",
                    now
                            ? "below the mark: producers are refused until there is room"
                            : "above the mark: producers are served again",
                    directory,
                    free,
                    lowBytes);
        }
    }
}
