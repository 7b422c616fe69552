package io.sluice.storage.local.segment;

import io.sluice.base.time.Scheduler;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the room of files whose names are gone back in small steps. A file system frees all of a file's blocks when it is closed for
 * the last time, and where it tells the device of each (ext4's {@code discard}) every other write waits until that is done: for
 * tens of milliseconds for a quarter of a gigabyte. Safe on every thread.
 */
public final class DeletedFiles {
    /** Smaller files go at once. */
    static final long LARGE_BYTES = 8 << 20;

    static final long STEP_BYTES = 4 << 20;
    /** Between two steps: 200 MiB a second at most. */
    static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Each is an open file; what is more goes at once. */
    static final int MAX_WAITING = 16;

    private static final Logger LOG = LoggerFactory.getLogger(DeletedFiles.class);

    private final @Nullable Scheduler scheduler;
    private final Executor executor;
    /** Guarded by this, as what follows. */
    private final Deque<StorageFile> waiting = new ArrayDeque<>();

    private boolean stepping;
    private boolean closed;

    private DeletedFiles(@Nullable Scheduler scheduler, Executor executor) {
        this.scheduler = scheduler;
        this.executor = executor;
    }

    /**
     * In steps.
     *
     * @param executor its threads may block on the disk and are never interrupted
     */
    public static DeletedFiles inSteps(Scheduler scheduler, Executor executor) {
        return new DeletedFiles(scheduler, executor);
    }

    /** All at once, for a process that serves nobody meanwhile. */
    public static DeletedFiles atOnce() {
        return new DeletedFiles(null, Runnable::run);
    }

    /** Whether the room of a file of this size is to be given back in steps. */
    boolean wants(long bytes) {
        return scheduler != null && bytes >= LARGE_BYTES;
    }

    /** Takes a file that nobody reads and whose only name is gone, durably. */
    void add(StorageFile file) {
        synchronized (this) {
            if (scheduler != null && !closed && waiting.size() < MAX_WAITING) {
                waiting.addLast(file);
                if (!stepping) {
                    stepping = true;
                    scheduler.schedule(this::step, 0, executor);
                }
                return;
            }
        }
        OpenFiles.closeQuietly(file);
    }

    private void step() {
        StorageFile file;
        synchronized (this) {
            file = waiting.poll();
            if (file == null) {
                stepping = false;
                return;
            }
        }
        boolean more = shorten(file);
        synchronized (this) {
            if (more && !closed) {
                waiting.addFirst(file);
            }
            more &= !closed;
        }
        if (!more) {
            OpenFiles.closeQuietly(file);
        }
        if (scheduler != null) {
            scheduler.schedule(this::step, REST_NANOS, executor);
        }
    }

    /** Returns whether there is more to do. */
    private static boolean shorten(StorageFile file) {
        try {
            long left = Math.max(0, file.size() - STEP_BYTES);
            file.truncate(left);
            return left > 0;
        } catch (IOException e) {
            LOG.warn("the room of a deleted file is given back at once file={}", file.path(), e);
            return false;
        }
    }

    /** Files that wait. */
    synchronized int count() {
        return waiting.size();
    }

    /** What waits goes at once, and so does all that comes later. */
    void close() {
        Deque<StorageFile> left;
        synchronized (this) {
            closed = true;
            left = new ArrayDeque<>(waiting);
            waiting.clear();
        }
        left.forEach(OpenFiles::closeQuietly);
    }
}
