package io.sluice.storage.local;

import io.sluice.base.error.FileFailures;
import io.sluice.base.time.Scheduler;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.HeldPath;
import io.sluice.storage.file.HeldPath.Target;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every second whether the directories of a node, and the files that it acknowledges by, are still where it opened them. The
 * system lets a process write on into what was deleted or renamed under it, without an error, and nobody finds that again.
 * Says so once, and then looks no more. Each directory is looked at by its path, so it may be a link or a mount point.
 *
 * <p>Looks share the threads of reads, as those of {@link SpaceWatch}. Safe on every thread.
 */
public final class DirectoryWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryWatch.class);
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final FileSystem fileSystem;
    private final Scheduler scheduler;
    private final Executor looks;
    private final List<HeldPath> directories = new ArrayList<>();
    private final List<FollowedFile> files = new ArrayList<>();
    private boolean unknown;
    private boolean closed;
    private Scheduler.@Nullable Timer timer;

    /**
     * Watches nothing yet.
     *
     * @param looks may block on the disk
     */
    public DirectoryWatch(FileSystem fileSystem, Scheduler scheduler, Executor looks) {
        this.fileSystem = fileSystem;
        this.scheduler = scheduler;
        this.looks = looks;
    }

    /** A directory that stays what it is now. */
    public synchronized void hold(Path directory) throws IOException {
        directories.add(fileSystem.hold(directory));
    }

    /**
     * A file in whose place another one comes now and then.
     *
     * @param current where the one is that is written now, or null; what it was before may be gone once it tells another
     */
    public synchronized void follow(Supplier<@Nullable Path> current) {
        files.add(new FollowedFile(current));
    }

    /**
     * Looks now, and every second.
     *
     * @param onLost hears at most once, on the executor of the looks, in the order in which directories were given
     */
    public void start(Consumer<DirectoryLostException> onLost) {
        try {
            looks.execute(() -> lookEverySecond(onLost));
        } catch (RejectedExecutionException e) {
            LOG.debug("the executor of looks at directories has shut down", e);
        }
    }

    /** Locked also while the listener is told: once this is closed nobody hears anything. */
    private synchronized void lookEverySecond(Consumer<DirectoryLostException> onLost) {
        if (closed) {
            return;
        }
        DirectoryLostException lost = look();
        if (lost == null) {
            timer = scheduler.schedule(() -> lookEverySecond(onLost), PERIOD_NANOS, looks);
        } else {
            onLost.accept(lost);
        }
    }

    private @Nullable DirectoryLostException look() {
        try {
            DirectoryLostException lost = null;
            for (int i = 0; i < directories.size() && lost == null; i++) {
                lost = failure(directories.get(i));
            }
            for (int i = 0; i < files.size() && lost == null; i++) {
                lost = files.get(i).look();
            }
            unknown = false;
            return lost;
        } catch (IOException e) {
            if (!unknown) {
                LOG.warn(
                        "it is not known whether the node's directories are still there reason={}",
                        FileFailures.text(e));
            }
            unknown = true;
            return null;
        }
    }

    private static @Nullable DirectoryLostException failure(HeldPath held) throws IOException {
        Target target = held.target();
        return target == Target.SAME ? null : new DirectoryLostException(held.path(), target);
    }

    /** Looks no more. */
    @Override
    public synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
        directories.forEach(DirectoryWatch::letGo);
        files.forEach(FollowedFile::close);
    }

    private static void letGo(HeldPath held) {
        try {
            held.close();
        } catch (IOException e) {
            LOG.debug("a directory or file was not let go of path={}", held.path(), e);
        }
    }

    /** A file that is written, whichever that is at the time. */
    private final class FollowedFile {
        private final Supplier<@Nullable Path> current;
        private @Nullable HeldPath held;

        FollowedFile(Supplier<@Nullable Path> current) {
            this.current = current;
        }

        /** One that is not written any more may go: what is missing counts if the file is still the same after it was missed. */
        @Nullable DirectoryLostException look() throws IOException {
            Path path = current.get();
            if (path == null) {
                return null;
            }
            DirectoryLostException lost = isHeld(path) ? failure(held()) : hold(path);
            return lost == null || !path.equals(current.get()) ? null : lost;
        }

        private boolean isHeld(Path path) {
            return held != null && held.path().equals(path);
        }

        private HeldPath held() {
            if (held == null) {
                throw new IllegalStateException("nothing is held");
            }
            return held;
        }

        private @Nullable DirectoryLostException hold(Path path) throws IOException {
            close();
            try {
                held = fileSystem.hold(path);
                return null;
            } catch (NoSuchFileException e) {
                return new DirectoryLostException(path, Target.NOTHING);
            }
        }

        void close() {
            if (held != null) {
                letGo(held);
                held = null;
            }
        }
    }
}
