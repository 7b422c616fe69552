package io.sluice.storage.local;

import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.file.OutOfSpaceException;
import io.sluice.storage.journal.Journal;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.local.segment.Deletable;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.local.segment.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints: every so many appended bytes, what the segments do not hold durably is made so, the catalogue takes note,
 * and the journal before is released. Segments with little that is new are not forced; their tail is copied forward in
 * the journal, a few times at most. One checkpoint at a time, on the maintenance executor; many segments are forced by a
 * few threads together; appends go on meanwhile. Those that take most of what is appended are forced in between, too, see
 * {@link EarlyForce}.
 *
 * <p>What the catalogue has to hold is taken from a few logs at a time, in slices of bounded size: their segments are forced,
 * the journal is durable up to there, the catalogue is forced, and the next slice follows. Each log recovers from its own
 * newest records, so it does no harm if the catalogue has those of a part of the logs only. The last slice notes the release
 * position, and only when that is durable the journal is released.
 *
 * <p>Why nothing is lost: the release position is taken first. A log that appends afterwards is dirty afterwards. What a
 * log appended before is in a forced segment that the catalogue knows, or again in the journal behind the release
 * position, in order, because its append lock is held while its tail is copied.
 */
final class Checkpointer {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

    private static final long RETRY_NANOS = 500_000_000;
    private static final long LOOK_MILLIS = 1_000;

    private final LocalLogs logs;
    private final Catalogue catalogue;
    private final LocalStorageConfig config;
    private final SegmentForces forces;
    private final AtomicLong appended = new AtomicLong();
    private final List<Long> deleted = new ArrayList<>();
    /** Files that go once the catalogue is durable; kept while it has no room. */
    private final List<Deletable> deletable = new ArrayList<>();

    private final Object work = new Object();
    private @Nullable CompletableFuture<Void> running;
    private volatile boolean stopped;
    /** Whether the last one had no room or no handles. */
    private volatile boolean putOff;

    private volatile long putOffNanos;

    Checkpointer(LocalLogs logs, Catalogue catalogue, LocalStorageConfig config, SegmentForces forces) {
        this.forces = forces;
        this.logs = logs;
        this.catalogue = catalogue;
        this.config = config;
    }

    void onAppended(int bytes) {
        if (appended.addAndGet(bytes) >= config.checkpointBytes()) {
            runSoon();
        }
    }

    /**
     * Looks at the journal now and every second. Where it is at its bound nothing is appended and nothing flushed, so
     * neither would ask for the checkpoint that makes room: after a start that has replayed much, or after a checkpoint
     * that has freed too little or had no room itself.
     */
    void start() {
        if (!stopped) {
            onJournalGrown();
            logs.runInBackgroundAfter(LOOK_MILLIS, this::start);
        }
    }

    /** The journal alone may have grown, by control entries or what a start has replayed. */
    void onJournalGrown() {
        Journal journal = logs.journal();
        boolean wanted = journal.unreleasedBytes() > journal.maxUnreleasedBytes() / 2 || journal.isReleaseAwaited();
        if (wanted && !isTooSoon()) {
            runSoon();
        }
    }

    /** Without room or handles for the last one, a checkpoint at every flush would only keep the device busy. */
    private boolean isTooSoon() {
        return putOff && logs.nanoTime() - putOffNanos < RETRY_NANOS;
    }

    /** Of a log that the journal says is deleted, durably. */
    void onDeleted(long logId) {
        onDeleted(logId, () -> 0);
    }

    /**
     * Appends the entry of a log's deletion, and tells the next checkpoint of it. One that lets the entry go has the
     * deletion in the catalogue; and the catalogue never has one of which the entry is not durable, because entries of the
     * log that the journal still holds would have nothing to begin with at the next start.
     *
     * @return what the append returns
     */
    long onDeleted(long logId, LongSupplier append) {
        synchronized (deleted) {
            long position = append.getAsLong();
            deleted.add(logId);
            return position;
        }
    }

    /** Runs a checkpoint on the maintenance executor, unless one runs already. */
    CompletionStage<Void> runSoon() {
        CompletableFuture<Void> started;
        synchronized (this) {
            if (running != null) {
                return running;
            }
            started = new CompletableFuture<>();
            if (stopped || logs.isFenced()) {
                started.completeExceptionally(new IOException("the store is closed or fenced"));
                return started;
            }
            running = started;
        }
        appended.set(0);
        logs.runInBackground(() -> begin(started));
        return started;
    }

    /** Runs a checkpoint that begins after this call. */
    CompletionStage<Void> runAfresh() {
        CompletableFuture<Void> current;
        synchronized (this) {
            current = running;
        }
        return current == null
                ? runSoon()
                : current.handle((done, failure) -> failure == null).thenCompose(ended -> runSoon());
    }

    /**
     * Forces one segment now, of which the next checkpoint then has the less to do; a failure fences, and what cannot be
     * opened is left to the checkpoint.
     */
    void forceBetween(Segment segment) {
        synchronized (work) {
            if (stopped) {
                return;
            }
            try {
                forces.force(List.of(segment));
            } catch (CannotOpenException e) {
                LOG.debug("a segment is left to the next checkpoint segment={}", segment, e);
            } catch (IOException e) {
                logs.fence(e);
            }
        }
    }

    /** No checkpoint begins any more; one that runs ends without an effect, and what it does now is waited for. */
    void stop() {
        stopped = true;
        synchronized (work) {
            LOG.debug("no checkpoint is at work");
        }
    }

    /** One checkpoint: who waits for it, since when it runs, up to where it can release, and the logs still to come. */
    private record Run(
            CompletableFuture<Void> stage, long startNanos, long releasable, Iterator<LocalPartitionLog> logs) {}

    private void begin(CompletableFuture<Void> stage) {
        long startNanos = logs.nanoTime();
        long releasable = logs.journal().endPosition();
        Run run = new Run(stage, startNanos, releasable, logs.allForCheckpoint().iterator());
        IOException failure = guarded(this::saveLeftOver);
        if (failure == null) {
            nextSlice(run);
        } else {
            end(run, failure);
        }
    }

    private void nextSlice(Run run) {
        CheckpointSlice slice = new CheckpointSlice(config.checkpointSliceBytes());
        IOException failure = guarded(() -> collect(run, slice));
        if (failure != null) {
            end(run, failure);
            return;
        }
        // Entries of deletions are durable once all before the next position is.
        List<Long> ended = run.logs.hasNext() ? List.of() : takeDeleted();
        long covered = logs.journal().endPosition();
        logs.journalWait()
                .await(
                        logs.journal(),
                        covered,
                        cause -> logs.runInBackground(() ->
                                onSliceDurable(run, cause == null ? guarded(() -> finish(run, slice, ended)) : cause)));
    }

    private void onSliceDurable(Run run, @Nullable IOException failure) {
        if (failure == null && run.logs.hasNext()) {
            nextSlice(run);
        } else {
            end(run, failure);
            logs.metrics().checkpointTime().observe(logs.nanoTime() - run.startNanos);
        }
    }

    /** A part of a checkpoint; returns why the checkpoint has failed, or null. */
    private interface Part {
        @Nullable IOException run();
    }

    /**
     * Whatever goes wrong, the checkpoint ends: else no other would ever begin. What logs have noted as taken care of is
     * half done then, so nothing is appended until the next start.
     */
    @SuppressWarnings("checkstyle:IllegalCatch") // a defect must end in a fence, too
    private @Nullable IOException guarded(Part part) {
        try {
            return part.run();
        } catch (RuntimeException | Error e) {
            IOException failure = new IOException("a checkpoint failed: " + e, e);
            logs.fence(failure);
            return failure;
        }
    }

    /** Of a checkpoint that had no room: it must not grow with each other one that has none. */
    private @Nullable IOException saveLeftOver() {
        synchronized (work) {
            if (stopped) {
                return new IOException("the store is closing");
            }
            return catalogue.hasUnwritten() ? save(new CheckpointSlice(0)) : null;
        }
    }

    private @Nullable IOException collect(Run run, CheckpointSlice slice) {
        synchronized (work) {
            List<LogCheckpoint> parts = new ArrayList<>();
            try {
                while (run.logs.hasNext() && !slice.isFull()) {
                    if (stopped) {
                        return new IOException("the store is closing");
                    }
                    LogCheckpoint part = new LogCheckpoint(logs, run.logs.next(), config.smallTailBytes());
                    parts.add(part);
                    part.run(slice);
                }
                forces.force(slice.toForce());
                LogDirectory.forceParents(slice.directories());
                return null;
            } catch (CannotOpenException e) {
                LOG.warn("a checkpoint cannot open what it has to force; the next one tries again", e);
                parts.forEach(LogCheckpoint::putBack);
                onPutOff();
                return e;
            } catch (IOException e) {
                logs.fence(e);
                return e;
            }
        }
    }

    /** The journal is durable up to where the records were taken: they can never be ahead of it. */
    private @Nullable IOException finish(Run run, CheckpointSlice slice, List<Long> ended) {
        synchronized (work) {
            if (stopped) {
                return new IOException("the store is closing");
            }
            boolean last = !run.logs.hasNext();
            if (last) {
                ended.forEach(slice::addDeleted);
                slice.setReleasable(run.releasable);
            }
            IOException failure = save(slice);
            if (last && failure == null) {
                logs.journal().releaseBefore(run.releasable);
                logs.metrics().checkpoints().increment();
                putOff = false;
            }
            return failure;
        }
    }

    private @Nullable IOException save(CheckpointSlice slice) {
        try {
            deletable.addAll(slice.deletable());
            slice.appendTo(catalogue);
            catalogue.force();
            Deletable.deleteAll(deletable);
            deletable.clear();
            return null;
        } catch (OutOfSpaceException | CannotOpenException e) {
            LOG.warn("a checkpoint has no room or no descriptor; the next one writes what this one could not", e);
            onPutOff();
            return e;
        } catch (IOException e) {
            logs.fence(e);
            return e;
        }
    }

    private void onPutOff() {
        putOffNanos = logs.nanoTime();
        putOff = true;
    }

    private List<Long> takeDeleted() {
        synchronized (deleted) {
            List<Long> taken = List.copyOf(deleted);
            deleted.clear();
            return taken;
        }
    }

    private void end(Run run, @Nullable IOException failure) {
        CompletableFuture<Void> stage = run.stage;
        synchronized (this) {
            running = null;
        }
        if (failure == null) {
            stage.complete(null);
        } else {
            stage.completeExceptionally(failure);
        }
    }

    /** Segments whose bytes are not all durable in their file. */
    static List<Segment> notForced(Segment[] segments) {
        List<Segment> found = new ArrayList<>(1);
        for (Segment segment : segments) {
            if (segment.forcedBytes() < segment.sizeBytes()) {
                found.add(segment);
            }
        }
        return found;
    }
}
