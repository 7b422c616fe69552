package io.sluice.storage.local.segment;

import io.sluice.base.time.Scheduler;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
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
    private final Deque<Emptied> waiting = new ArrayDeque<>();

    private boolean stepping;
    private boolean closed;

    private DeletedFiles(@Nullable Scheduler scheduler, Executor executor) {
        this.scheduler = scheduler;
        this.executor = executor;
    }

    /**
     * A file on its way.
     *
     * @param directory where its name was
     * @param begun whether its name is known to be gone durably
     */
    private record Emptied(StorageFile file, LogDirectory directory, boolean begun) {}

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
    synchronized boolean wants(long bytes) {
        return bytes >= LARGE_BYTES && hasRoom();
    }

    private boolean hasRoom() {
        return scheduler != null && !closed && waiting.size() < MAX_WAITING;
    }

    /** Takes a file that nobody reads and whose only name is gone from this directory. */
    void add(StorageFile file, LogDirectory directory) {
        synchronized (this) {
            if (scheduler != null && hasRoom()) {
                waiting.addLast(new Emptied(file, directory, false));
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
        Emptied one;
        synchronized (this) {
            one = waiting.poll();
            if (one == null) {
                stepping = false;
                return;
            }
        }
        boolean more = shorten(one);
        synchronized (this) {
            more &= !closed;
            if (more) {
                waiting.addFirst(new Emptied(one.file, one.directory, true));
            }
        }
        if (!more) {
            OpenFiles.closeQuietly(one.file);
        }
        if (scheduler != null) {
            scheduler.schedule(this::step, REST_NANOS, executor);
        }
    }

    /** Returns whether there is more to do. */
    private static boolean shorten(Emptied one) {
        try {
            if (!one.begun) {
                forceName(one.directory);
            }
            long left = Math.max(0, one.file.size() - STEP_BYTES);
            one.file.truncate(left);
            return left > 0;
        } catch (IOException e) {
            LOG.warn("the room of a deleted file is given back at once file={}", one.file.path(), e);
            return false;
        }
    }

    /** After a power cut there would be a file that lacks its end. Where the directory is gone as well, its log is deleted. */
    private static void forceName(LogDirectory directory) throws IOException {
        try {
            directory.forceNames();
        } catch (NoSuchFileException e) {
            // Nothing of it is read any more.
        }
    }

    /** Files that wait. */
    synchronized int count() {
        return waiting.size();
    }

    /** What waits goes at once, and so does all that comes later. */
    void close() {
        List<Emptied> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(waiting);
            waiting.clear();
        }
        left.forEach(one -> OpenFiles.closeQuietly(one.file));
    }
}
