package io.sluice.storage.journal;

import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.file.DirectFile;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.OutOfSpaceException;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares files before they are needed: creates and fills new ones, takes back old ones, deletes those too many, all on
 * the background executor. Fields are guarded by the journal's lock; files are worked on without it.
 */
final class SpareFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SpareFiles.class);
    /** Between a failed attempt and the next. */
    static final long RETRY_NANOS = 500_000_000;

    private static final int MIN_FAILURES = 3;
    private static final long FAILING_SECONDS = 30;

    private final FileSystem files;
    private final Path directory;
    private final JournalConfig config;
    private final Executor background;
    private final Object lock;
    private final ArrayDeque<JournalFile> spares = new ArrayDeque<>();
    private Runnable onChange = () -> {};
    private Consumer<IOException> onFailure = cause -> {};
    /** Taken back, but not to be opened again so far. */
    private final ArrayDeque<JournalFile> unopened = new ArrayDeque<>();

    private int failures;
    private long firstFailureNanos;
    private int nextNumber;
    private int wanted;
    private boolean preparing;
    private boolean closed;
    private boolean failed;
    private @Nullable IOException shortage;
    private long lastFailureNanos;

    SpareFiles(
            FileSystem files, Path directory, JournalConfig config, Executor background, Object lock, int nextNumber) {
        this.files = files;
        this.directory = directory;
        this.config = config;
        this.background = background;
        this.lock = lock;
        this.nextNumber = nextNumber;
    }

    /** Sets who hears, without the lock, that a spare file was added or could not be. */
    void onChange(Runnable listener) {
        onChange = listener;
    }

    /**
     * Sets who hears, without the lock, that no file can be prepared for another reason than a {@linkplain #shortage
     * shortage}: all attempts of {@value #FAILING_SECONDS} s have failed, and {@value #MIN_FAILURES} at least. Room comes back
     * by itself, and so do descriptors; a directory that has gone or a broken disk does not.
     */
    void onFailure(Consumer<IOException> listener) {
        onFailure = listener;
    }

    // ---- under the lock ----

    void add(JournalFile spare) {
        spares.addLast(spare);
    }

    @Nullable JournalFile poll() {
        return spares.pollFirst();
    }

    int count() {
        return spares.size();
    }

    /** What the last attempt to make a file lacked, room or a descriptor; null if nothing, or while one is under way. */
    @Nullable IOException shortage() {
        return shortage;
    }

    /** Whether the last attempt to make a file failed, and none is under way. */
    boolean hasFailed() {
        return failed;
    }

    /** Bytes of blocks that fit into the spare files for certain. */
    long usableBytes(int maxBlockBytes) {
        long sum = 0;
        for (JournalFile spare : spares) {
            sum += spare.usableBytes(maxBlockBytes);
        }
        return sum;
    }

    /**
     * Sees to it that there are so many spare files, soon.
     *
     * @param nowNanos limits how often a failed attempt is made again
     */
    void want(int count, long nowNanos) {
        wanted = Math.max(wanted, count);
        if (closed || preparing || spares.size() >= wanted || (failed && nowNanos - lastFailureNanos < RETRY_NANOS)) {
            return;
        }
        preparing = true;
        failed = false;
        shortage = null;
        background.execute(() -> prepareNew(nowNanos));
    }

    /** Sees to it that there is a spare file; takes the lock itself. */
    void wantOne(long nowNanos) {
        synchronized (lock) {
            want(1, nowNanos);
        }
    }

    /** Takes a file back that recovery needs no more. */
    void retire(JournalFile file, int filesInUse) {
        int keep = (int) (config.maxUnreleasedBytes() / config.fileBytes()) + 2;
        boolean reuse =
                !closed && file.capacity() == config.fileBytes() && filesInUse + spares.size() + unopened.size() < keep;
        background.execute(() -> {
            if (reuse) {
                takeBack(file);
            } else {
                deleteRetired(file);
            }
        });
    }

    void close() throws IOException {
        closed = true;
        for (JournalFile spare : spares) {
            spare.close();
        }
        spares.clear();
    }

    // ---- on the background executor, or at the start ----

    /** Makes one small file at once, for a start that finds none. */
    JournalFile createFirst() throws IOException {
        return create(config.firstFileBytes());
    }

    private void prepareNew(long nowNanos) {
        JournalFile made = null;
        IOException failure = null;
        try {
            made = reopened();
            if (made == null) {
                made = create(config.fileBytes());
            }
        } catch (IOException e) {
            failure = e;
            LOG.warn(
                    "no journal file could be prepared directory={} bytes={} error={}",
                    directory,
                    config.fileBytes(),
                    e.getMessage());
        }
        boolean more;
        boolean broken;
        synchronized (lock) {
            preparing = false;
            failed = failure != null;
            shortage = isShortage(failure) ? failure : null;
            failures = failure == null || shortage != null ? 0 : failures + 1;
            firstFailureNanos = failures <= 1 ? nowNanos : firstFailureNanos;
            broken = failures >= MIN_FAILURES
                    && nowNanos - firstFailureNanos >= TimeUnit.SECONDS.toNanos(FAILING_SECONDS);
            lastFailureNanos = nowNanos;
            more = made != null && addUnlessClosed(made);
        }
        if (broken && failure != null) {
            onFailure.accept(new IOException(
                    "no journal file can be prepared in " + directory + ": " + failure.getMessage(), failure));
        }
        onChange.run();
        if (more) {
            synchronized (lock) {
                want(wanted, nowNanos);
            }
        }
    }

    /** Nothing was written that counts, and it passes by itself. */
    private static boolean isShortage(@Nullable IOException failure) {
        return failure instanceof OutOfSpaceException
                || (failure instanceof CannotOpenException refused && refused.lacksDescriptor());
    }

    /** A file that could not be opened when it was taken back, or null: there is none, or it still cannot be. */
    private @Nullable JournalFile reopened() {
        JournalFile file;
        synchronized (lock) {
            file = unopened.pollFirst();
        }
        return file == null ? null : open(file);
    }

    /** Opens a file that was used before; where that fails it is kept for another time, unless it has gone. */
    private @Nullable JournalFile open(JournalFile file) {
        try {
            file.close();
            return JournalFile.spare(files.openDirect(file.path()), file.capacity());
        } catch (NoSuchFileException e) {
            LOG.warn("a journal file has gone file={}", file.path());
        } catch (IOException e) {
            LOG.warn("a journal file cannot be used again yet file={} error={}", file.path(), e.getMessage());
            synchronized (lock) {
                unopened.addLast(file);
            }
        }
        return null;
    }

    /** Returns whether more files are wanted; forgets what was wanted once it is there. */
    private boolean addUnlessClosed(JournalFile made) {
        if (closed) {
            closeQuietly(made);
            return false;
        }
        spares.addLast(made);
        if (spares.size() >= wanted) {
            wanted = 0;
            return false;
        }
        return true;
    }

    private JournalFile create(int bytes) throws IOException {
        Path path = directory.resolve(JournalDirectory.fileName(takeNumber()));
        if (files.usableSpace(directory) < bytes) {
            throw new OutOfSpaceException(path, null);
        }
        boolean done = false;
        try {
            try (StorageFile file = files.create(path)) {
                file.preallocate(0, bytes);
                file.force(true);
            }
            files.forceDirectory(directory);
            DirectFile handle = openWithHeader(path, bytes);
            done = true;
            LOG.debug("journal file prepared file={} bytes={} mechanism={}", path, bytes, handle.mechanism());
            return JournalFile.spare(handle, bytes);
        } finally {
            if (!done) {
                deleteQuietly(path);
            }
        }
    }

    private DirectFile openWithHeader(Path path, int bytes) throws IOException {
        DirectFile handle = files.openDirect(path);
        boolean done = false;
        try {
            writeHeader(handle, FileHeader.spare(handle.alignment(), bytes));
            done = true;
            return handle;
        } finally {
            if (!done) {
                handle.close();
            }
        }
    }

    private int takeNumber() {
        synchronized (lock) {
            return nextNumber++;
        }
    }

    private void takeBack(JournalFile file) {
        JournalFile spare = open(file);
        if (spare == null) {
            return;
        }
        synchronized (lock) {
            addUnlessClosed(spare);
            failures = 0;
            failed = false;
            shortage = null;
        }
        onChange.run();
    }

    private void deleteRetired(JournalFile file) {
        closeQuietly(file);
        deleteQuietly(file.path());
    }

    private void deleteQuietly(Path path) {
        try {
            files.delete(path);
        } catch (IOException e) {
            LOG.warn("a journal file that is not needed cannot be deleted file={} error={}", path, e.getMessage());
        }
    }

    private static void closeQuietly(JournalFile file) {
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("a journal file cannot be closed file={} error={}", file.path(), e.getMessage());
        }
    }

    /** Writes a header as a block of its own. */
    static void writeHeader(DirectFile file, FileHeader header) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(2 * file.alignment()).alignedSlice(file.alignment());
        block.limit(file.alignment());
        header.writeTo(block);
        file.writeDurably(block, 0);
    }
}
