package io.sluice.storage.local;

import io.sluice.base.time.Scheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the free space of the device every second. Below the mark producers are refused, so that retention, internal
 * topics and the journal still have room; it heals by itself. Safe on every thread.
 */
final class SpaceWatch {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceWatch.class);
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LocalStorageServices services;
    private final Path directory;
    private final long lowBytes;
    private volatile boolean low;
    private volatile boolean stopped;
    private volatile Scheduler.@Nullable Timer timer;

    SpaceWatch(LocalStorageServices services, Path directory, long lowBytes) {
        this.services = services;
        this.directory = directory;
        this.lowBytes = lowBytes;
    }

    boolean isLow() {
        return low;
    }

    void start() {
        look();
    }

    void stop() {
        stopped = true;
        Scheduler.Timer current = timer;
        if (current != null) {
            current.cancel();
        }
    }

    private void look() {
        if (stopped) {
            return;
        }
        try {
            long free = services.fileSystem().usableSpace(directory);
            boolean now = free < lowBytes;
            if (now != low) {
                low = now;
                LOG.warn(
                        "free space {} the mark directory={} freeBytes={} markBytes={}",
                        now ? "below" : "above",
                        directory,
                        free,
                        lowBytes);
            }
        } catch (IOException e) {
            LOG.warn("free space is not known directory={}", directory, e);
        }
        timer = services.scheduler().schedule(this::look, PERIOD_NANOS, services.maintenance());
    }
}
