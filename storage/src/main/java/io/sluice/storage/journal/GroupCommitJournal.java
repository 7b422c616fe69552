package io.sluice.storage.journal;

import io.netty.buffer.ByteBuf;
import io.sluice.base.time.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal: appenders copy their entries, under a short lock, into the group being put together; the flush thread
 * writes one group after the other, each as one block, and tells the listeners.
 *
 * <pre>
 * appenders --lock--> PendingGroups -> (flush thread) BlockWriter -> durablePosition -> listeners
 *
 * flush thread:  IDLE --append--> RUNNING <--time or 64 KiB--> PACING        any --failed write--> failed, for ever
 * </pre>
 */
final class GroupCommitJournal implements Journal, FlushDriver.DutyCycle {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommitJournal.class);
    private static final long CLOSE_TIMEOUT_NANOS = 60_000_000_000L;
    private static final ReservationKind[] KINDS = ReservationKind.values();

    private enum Flusher {
        RUNNING,
        IDLE,
        PACING
    }

    private final Object lock;
    private final JournalConfig config;
    private final Clock clock;
    private final FlushDriver driver;
    private final JournalFiles files;
    private final BlockWriter writer;
    private final FlushPacing pacing;

    // Guarded by the lock.
    private final PendingGroups pending;
    private final CapacityWaiters capacityWaiters = new CapacityWaiters();
    private final Reservations reservations;
    private final UnreleasedBytes unreleased;
    private Flusher flusher = Flusher.RUNNING;
    private long releasedPosition;
    private long entries;
    private long joined;
    private boolean closing;
    private boolean stopped;
    private boolean roomChanged;
    private Lack lack = Lack.BUFFER;

    private volatile FlushListener[] listeners = {};
    private volatile long endPosition;
    private volatile long durablePosition;
    private volatile @Nullable IOException failure;
    private volatile @Nullable IOException noMoreFiles;

    GroupCommitJournal(JournalStart start, JournalResources resources) {
        this.lock = start.lock();
        this.config = start.config();
        this.files = start.files();
        this.clock = resources.clock();
        this.driver = resources.flushDriver();
        this.pacing = new FlushPacing(config.flushCpuShare());
        this.writer = new BlockWriter(start, resources, pacing);
        this.pending = new PendingGroups(resources.allocator(), clock, config.maxBlockBytes(), files.alignment());
        this.reservations = new Reservations(config, files.alignment());
        this.unreleased = start.unreleased();
        this.releasedPosition = start.releasedPosition();
        this.endPosition = start.endPosition();
        this.durablePosition = start.endPosition();
    }

    /** Begins to flush. */
    void start() {
        files.spares().onChange(this::onRoomChange);
        files.spares().onFailure(this::onNoMoreFiles);
        synchronized (lock) {
            files.spares().want(1, clock.nanoTime());
        }
        driver.start(this);
    }

    // ---- appenders ----

    @Override
    public boolean tryReserve(int payloadBytes) {
        return tryReserve(payloadBytes, ReservationKind.ENTRY);
    }

    @Override
    public boolean tryReserveForCheckpoint(int payloadBytes) {
        return tryReserve(payloadBytes, ReservationKind.FOR_CHECKPOINT);
    }

    @Override
    public boolean tryReserveWithSegment(int payloadBytes) {
        return tryReserve(payloadBytes, ReservationKind.WITH_SEGMENT);
    }

    @Override
    public boolean tryReserveForCoordinator(int payloadBytes, boolean withSegment) {
        return tryReserve(payloadBytes, ReservationKind.forCoordinator(withSegment));
    }

    private boolean tryReserve(int payloadBytes, ReservationKind kind) {
        synchronized (lock) {
            if (failure != null || closing) {
                return false;
            }
            if (fits(payloadBytes, kind)) {
                reservations.add(payloadBytes);
                if (kind.hasSegment()) {
                    reservations.add(0);
                }
                return true;
            }
            onRefused(payloadBytes, kind);
            return false;
        }
    }

    private void onRefused(int payloadBytes, ReservationKind kind) {
        capacityWaiters.onRefused(payloadBytes, kind);
        if (wantFilesFor(payloadBytes, kind)) {
            lack = Lack.FILE;
        } else {
            lack = reservations.exceedsReplayBound(payloadBytes, kind, unreleased.bytes()) ? Lack.REPLAY : Lack.BUFFER;
        }
    }

    private boolean fits(int payloadBytes, ReservationKind kind) {
        return reservations.hasMemoryFor(payloadBytes, kind)
                && reservations.missingRoom(payloadBytes, kind, files.usableBytes()) <= 0
                && !reservations.exceedsReplayBound(payloadBytes, kind, unreleased.bytes());
    }

    @Override
    public void cancelReservation(int payloadBytes) {
        boolean wake;
        synchronized (lock) {
            if (failure == null) {
                reservations.cancel(payloadBytes);
            }
            wake = !capacityWaiters.isEmpty();
        }
        if (wake) {
            driver.wake();
        }
    }

    @Override
    public long append(JournalEntryKind kind, long logId, long argument, ByteBuf payload) {
        int payloadBytes = payload.readableBytes();
        boolean wake;
        long position;
        synchronized (lock) {
            entries++;
            joined += endPosition > durablePosition ? 1 : 0;
            position = endPosition + JournalFormat.ENTRY_HEADER_BYTES + payloadBytes;
            endPosition = position;
            if (failure != null || stopped) {
                return position;
            }
            long room = reservations.worstRoom(payloadBytes);
            if (reservations.isLarge(payloadBytes)) {
                pending.addRetained(kind, logId, argument, payload, position, room);
            } else {
                pending.add(kind, logId, argument, payload, position, room);
            }
            wake = flusher == Flusher.IDLE || (flusher == Flusher.PACING && pending.bytes() >= config.groupBytes());
            if (wake) {
                flusher = Flusher.RUNNING;
            }
        }
        if (wake) {
            driver.wake();
        }
        return position;
    }

    @Override
    public long durablePosition() {
        return durablePosition;
    }

    @Override
    public long endPosition() {
        return endPosition;
    }

    @Override
    public void awaitCapacity(Runnable task) {
        synchronized (lock) {
            capacityWaiters.add(task);
        }
        driver.wake();
    }

    @Override
    public void addFlushListener(FlushListener listener) {
        synchronized (lock) {
            FlushListener[] more = Arrays.copyOf(listeners, listeners.length + 1);
            more[listeners.length] = listener;
            listeners = more;
        }
    }

    @Override
    public void releaseBefore(long position) {
        boolean wake;
        synchronized (lock) {
            if (position <= releasedPosition) {
                return;
            }
            releasedPosition = Math.min(position, durablePosition);
            unreleased.release(releasedPosition, durablePosition);
            wake = files.isRetirable(releasedPosition) || !capacityWaiters.isEmpty();
        }
        if (wake) {
            driver.wake();
        }
    }

    @Override
    public long unreleasedBytes() {
        synchronized (lock) {
            return unreleased.bytes();
        }
    }

    @Override
    public boolean isReleaseAwaited() {
        synchronized (lock) {
            return !capacityWaiters.isEmpty() && anyKind(this::isBeyondReplayBound);
        }
    }

    private boolean isBeyondReplayBound(ReservationKind kind) {
        int smallest = capacityWaiters.smallestRefused(kind);
        return smallest != CapacityWaiters.NONE && reservations.exceedsReplayBound(smallest, kind, unreleased.bytes());
    }

    @Override
    public long maxUnreleasedBytes() {
        return config.maxUnreleasedBytes();
    }

    @Override
    public boolean isFailed() {
        return failure != null;
    }

    @Override
    public @Nullable IOException shortage() {
        synchronized (lock) {
            return lack == Lack.FILE ? files.spares().shortage() : null;
        }
    }

    @Override
    public Lack lack() {
        synchronized (lock) {
            return lack;
        }
    }

    @Override
    public Path file() {
        synchronized (lock) {
            return files.path();
        }
    }

    /** On the background executor: the flush thread fails the journal, between two writes. */
    private void onNoMoreFiles(IOException cause) {
        noMoreFiles = cause;
        driver.wake();
    }

    private void onRoomChange() {
        synchronized (lock) {
            roomChanged = true;
        }
        driver.wake();
    }

    @Override
    public void close() throws IOException {
        synchronized (lock) {
            closing = true;
        }
        boolean failedBefore = failure != null;
        driver.wake();
        if (!driver.awaitFinish(CLOSE_TIMEOUT_NANOS)) {
            throw new IOException(
                    "the journal did not finish its last write within " + CLOSE_TIMEOUT_NANOS / 1_000_000_000 + " s");
        }
        IOException reason = failure;
        if (reason != null && !failedBefore) {
            throw new IOException("the journal failed while it was being closed: " + reason.getMessage(), reason);
        }
    }

    // ---- the flush thread ----

    @Override
    @SuppressWarnings("checkstyle:IllegalCatch") // a defect here must fence the journal, not leave its waiters hanging
    public long run() {
        try {
            return turn();
        } catch (RuntimeException | Error e) {
            fail(new IOException("defect in the journal: " + e, e));
            return 0;
        }
    }

    private long turn() {
        IOException broken = noMoreFiles;
        if (broken != null) {
            fail(broken);
        }
        runCapacityTasks();
        PendingGroup group = null;
        boolean release = false;
        synchronized (lock) {
            if (failure == null && pending.bytes() > 0) {
                long wait = paceNanos();
                if (wait > 0) {
                    flusher = Flusher.PACING;
                    return wait;
                }
                group = pending.take();
                pacing.onGroup(entries, joined);
                entries = 0;
                joined = 0;
            } else if (failure == null) {
                release = isReleaseDue();
            }
            if (group == null && !release && !closing) {
                flusher = Flusher.IDLE;
                return idleNanos();
            }
            flusher = Flusher.RUNNING;
        }
        if (group != null) {
            flush(group);
            return 0;
        }
        return release ? flushRelease() : finish();
    }

    /**
     * Sees to files for those who wait: what was ready when they were refused others may have used since, or it could not
     * be prepared, and nobody else need append for it to be tried again.
     */
    private long idleNanos() {
        if (failure != null || capacityWaiters.isEmpty()) {
            return UNTIL_WOKEN;
        }
        for (ReservationKind kind : ReservationKind.values()) {
            int smallest = capacityWaiters.smallestRefused(kind);
            if (smallest != CapacityWaiters.NONE) {
                wantFilesFor(smallest, kind);
            }
        }
        return files.spares().hasFailed() ? SpareFiles.RETRY_NANOS : UNTIL_WOKEN;
    }

    /** Returns whether there are too few. */
    private boolean wantFilesFor(int payloadBytes, ReservationKind kind) {
        long missing = reservations.missingRoom(payloadBytes, kind, files.usableBytes());
        if (missing > 0) {
            files.spares().want(files.sparesForBytes(missing, config.fileBytes()), clock.nanoTime());
        }
        return missing > 0;
    }

    /** How long the next group is held back; 0 to write it now. */
    private long paceNanos() {
        boolean wanted = closing || pending.hasFull() || pending.bytes() >= config.groupBytes();
        if (wanted || !pacing.hasCompany()) {
            return 0;
        }
        long now = clock.nanoTime();
        long left = Math.min(
                writer.lastWriteStartNanos() + pacing.periodNanos() - now,
                pending.oldestArrivalNanos() + pacing.longestDelayNanos(config.maxDelayNanos()) - now);
        return Math.max(0, left - FlushPacing.TIMER_SLACK_NANOS);
    }

    private void flush(PendingGroup group) {
        long written;
        long released;
        synchronized (lock) {
            released = releasedPosition;
        }
        try {
            written = group instanceof RetainedEntry large
                    ? writer.writeRetained(large, durablePosition, released)
                    : writer.writeGroup((GroupBuffer) group, durablePosition, released);
        } catch (IOException e) {
            fail(e);
            synchronized (lock) {
                pending.giveBack(group);
            }
            return;
        }
        long durable = group.endPosition();
        synchronized (lock) {
            unreleased.onBlock(durablePosition, written);
            reservations.complete(group);
            pending.giveBack(group);
            durablePosition = durable;
        }
        files.retire(released);
        for (FlushListener listener : listeners) {
            tell(listener, durable, null);
        }
    }

    /** A listener that throws must not keep the flush from the others: the thread's handler hears of it. */
    @SuppressWarnings("checkstyle:IllegalCatch") // whatever a listener throws belongs to that listener alone
    private static void tell(FlushListener listener, long durable, @Nullable IOException cause) {
        try {
            if (cause == null) {
                listener.onDurable(durable);
            } else {
                listener.onFailure(cause);
            }
        } catch (RuntimeException | Error e) {
            handOver(e);
        }
    }

    private static void handOver(Throwable thrown) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }

    private boolean isReleaseDue() {
        return files.isRetirable(releasedPosition) && files.hasControlRoom(1);
    }

    /** Makes a release known on disk although there is nothing to append, so that its files can be used again. */
    private long flushRelease() {
        long released;
        synchronized (lock) {
            released = releasedPosition;
        }
        try {
            writer.writeControl(durablePosition, released, (byte) 0);
            files.retire(released);
        } catch (IOException e) {
            fail(e);
        }
        return 0;
    }

    private void fail(IOException cause) {
        synchronized (lock) {
            if (failure != null) {
                return;
            }
            failure = cause;
            pending.drop();
        }
        LOG.error(
                "journal failed: nothing is appended until the next start durablePosition={} error={}",
                durablePosition,
                cause.toString());
        for (FlushListener listener : listeners) {
            tell(listener, 0, cause);
        }
    }

    private long finish() {
        long released;
        synchronized (lock) {
            if (pending.bytes() > 0 && failure == null) {
                return 0;
            }
            stopped = true;
            released = releasedPosition;
        }
        if (failure == null) {
            try {
                writer.writeControl(durablePosition, released, JournalFormat.FLAG_CLEAN_STOP);
            } catch (IOException e) {
                fail(e);
            }
        }
        runCapacityTasks();
        closeFiles();
        return FINISHED;
    }

    private void closeFiles() {
        try {
            files.close();
        } catch (IOException e) {
            LOG.warn("journal files cannot be closed error={}", e.getMessage());
        }
        writer.release();
        synchronized (lock) {
            pending.releaseIdle();
        }
    }

    private void runCapacityTasks() {
        List<Runnable> tasks;
        synchronized (lock) {
            if (capacityWaiters.isEmpty() || !mayTryAgain()) {
                return;
            }
            tasks = capacityWaiters.takeAll();
            roomChanged = false;
        }
        for (Runnable task : tasks) {
            runTask(task);
        }
    }

    /** Whether the answer to the smallest refused of a kind may be another one now. */
    private boolean mayTryAgain() {
        return failure != null
                || closing
                || capacityWaiters.hasUnknown()
                || (roomChanged && files.spares().hasFailed())
                || anyKind(this::fitsRefused);
    }

    private static boolean anyKind(Predicate<ReservationKind> condition) {
        for (ReservationKind kind : KINDS) {
            if (condition.test(kind)) {
                return true;
            }
        }
        return false;
    }

    private boolean fitsRefused(ReservationKind kind) {
        int smallest = capacityWaiters.smallestRefused(kind);
        return smallest != CapacityWaiters.NONE && fits(smallest, kind);
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // whatever a task throws belongs to that task alone
    private static void runTask(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            handOver(e);
        }
    }
}
