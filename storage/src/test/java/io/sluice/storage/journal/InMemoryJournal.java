package io.sluice.storage.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A journal whose disk is a list. Entries become durable when the test flushes, and can be made to fail or to be full.
 * {@link Disk#recover} is the start of a later run over the same disk. Safe on every thread; listeners are called by the
 * thread that flushes.
 */
public final class InMemoryJournal implements Journal {
    private static final int HEADER_BYTES = 28;

    private final Disk disk;
    private final List<Entry> pending = new ArrayList<>();
    private final List<FlushListener> listeners = new ArrayList<>();
    private final List<Runnable> capacityWaiters = new ArrayList<>();
    private long endPosition;
    private volatile long durablePosition;
    private long bufferBytes = Long.MAX_VALUE / 2;
    private long coordinatorBytes;
    private long reservedBytes;
    private boolean atReplayBound;
    private int cancellations;
    private volatile @Nullable IOException failure;

    /** What stays when the process ends. */
    public static final class Disk {
        private final List<Entry> entries = new ArrayList<>();
        private long releasedPosition;
        private long endPosition;
        private boolean clean = true;
        private boolean used;

        /** What it holds now, to be put back later. */
        public synchronized Disk copy() {
            Disk copy = new Disk();
            copy.entries.addAll(entries);
            copy.releasedPosition = releasedPosition;
            copy.endPosition = endPosition;
            copy.clean = clean;
            copy.used = used;
            return copy;
        }

        /** Reads what is there. */
        public JournalRecovery recover() {
            return new Recovery(this);
        }

        /** Entries not released. */
        public synchronized int size() {
            return entries.size();
        }

        /** Loses the oldest entry of a kind that was not released, as no disk should. */
        public synchronized void loseFirst(JournalEntryKind kind) {
            entries.remove(entries.stream()
                    .filter(entry -> entry.kind == kind)
                    .findFirst()
                    .orElseThrow());
        }

        /** How many entries of a kind there are. */
        public synchronized long count(JournalEntryKind kind) {
            return entries.stream().filter(entry -> entry.kind == kind).count();
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares entries
    private record Entry(JournalEntryKind kind, long logId, long argument, byte[] payload, long endPosition) {}

    private record Recovery(Disk disk) implements JournalRecovery {
        @Override
        public boolean isNew() {
            return !disk.used;
        }

        @Override
        public boolean endedCleanly() {
            return disk.clean;
        }

        @Override
        public long releasedPosition() {
            return disk.releasedPosition;
        }

        @Override
        public long endPosition() {
            return disk.endPosition;
        }

        @Override
        public void replay(EntryVisitor visitor) throws IOException {
            for (Entry entry : List.copyOf(disk.entries)) {
                ByteBuf payload =
                        Unpooled.directBuffer(Math.max(1, entry.payload.length)).writeBytes(entry.payload);
                visitor.onEntry(entry.kind, entry.logId, entry.argument, payload, entry.endPosition);
                payload.release();
            }
        }

        @Override
        public Journal start(JournalResources resources) {
            return start();
        }

        private InMemoryJournal start() {
            disk.clean = false;
            disk.used = true;
            return new InMemoryJournal(disk);
        }
    }

    private InMemoryJournal(Disk disk) {
        this.disk = disk;
        this.endPosition = disk.endPosition;
        this.durablePosition = disk.endPosition;
    }

    // ---- what the test does ----

    /** A journal that holds nothing, on a disk of its own. */
    public static InMemoryJournal empty() {
        return new InMemoryJournal(new Disk());
    }

    /** Makes everything appended so far durable. */
    public void flush() {
        synchronized (this) {
            if (failure != null) {
                return;
            }
            disk.entries.addAll(pending);
            pending.clear();
            reservedBytes = 0;
            disk.endPosition = endPosition;
            durablePosition = endPosition;
        }
        List.copyOf(listeners).forEach(listener -> listener.onDurable(durablePosition));
        List<Runnable> waiters;
        synchronized (this) {
            waiters = List.copyOf(capacityWaiters);
            capacityWaiters.clear();
        }
        waiters.forEach(Runnable::run);
    }

    /** The next flush fails, for good. */
    public void fail(IOException cause) {
        synchronized (this) {
            failure = cause;
            pending.clear();
        }
        List.copyOf(listeners).forEach(listener -> listener.onFailure(cause));
    }

    /** A write has failed, and nobody has been told yet. */
    public synchronized void failUntold(IOException cause) {
        failure = cause;
        pending.clear();
    }

    /** How many wait for room. */
    public synchronized int waiters() {
        return capacityWaiters.size();
    }

    /** Limits what may wait for its flush. */
    public synchronized void limitBuffer(long bytes) {
        bufferBytes = bytes;
    }

    /** What coordinators may have waiting beyond that limit. */
    public synchronized void keepForCoordinators(long bytes) {
        coordinatorBytes = bytes;
    }

    /** Says whether a restart would replay so much that only what makes room may be appended. */
    public synchronized void setAtReplayBound(boolean reached) {
        atReplayBound = reached;
    }

    /** Entries that wait for their flush. */
    public synchronized int pendingEntries() {
        return pending.size();
    }

    // ---- the journal ----

    @Override
    public synchronized boolean tryReserve(int payloadBytes) {
        return !atReplayBound && tryReserveForCheckpoint(payloadBytes);
    }

    @Override
    public synchronized boolean tryReserveForCheckpoint(int payloadBytes) {
        if (failure != null || reservedBytes + payloadBytes + HEADER_BYTES > bufferBytes) {
            return false;
        }
        reservedBytes += payloadBytes + HEADER_BYTES;
        return true;
    }

    @Override
    public synchronized boolean tryReserveWithSegment(int payloadBytes) {
        // the second header is that of the entry without payload
        return !atReplayBound && tryReserveForCheckpoint(payloadBytes + HEADER_BYTES);
    }

    @Override
    public synchronized boolean tryReserveForCoordinator(int payloadBytes, boolean withSegment) {
        int reserved = payloadBytes + (withSegment ? HEADER_BYTES : 0);
        if (failure != null || reservedBytes + reserved + HEADER_BYTES > bufferBytes + coordinatorBytes) {
            return false;
        }
        reservedBytes += reserved + HEADER_BYTES;
        return true;
    }

    @Override
    public synchronized Lack lack() {
        return atReplayBound ? Lack.REPLAY : Lack.BUFFER;
    }

    /** How often room was given back. */
    public synchronized int cancellations() {
        return cancellations;
    }

    @Override
    public synchronized void cancelReservation(int payloadBytes) {
        cancellations++;
        reservedBytes -= payloadBytes + HEADER_BYTES;
    }

    @Override
    public synchronized long append(JournalEntryKind kind, long logId, long argument, ByteBuf payload) {
        endPosition += payload.readableBytes() + HEADER_BYTES;
        if (failure == null) {
            pending.add(new Entry(kind, logId, argument, ByteBufUtil.getBytes(payload), endPosition));
        }
        return endPosition;
    }

    @Override
    public long durablePosition() {
        return durablePosition;
    }

    @Override
    public synchronized long endPosition() {
        return endPosition;
    }

    @Override
    public void awaitCapacity(Runnable task) {
        synchronized (this) {
            capacityWaiters.add(task);
        }
    }

    @Override
    public void addFlushListener(FlushListener listener) {
        listeners.add(listener);
    }

    @Override
    public synchronized void releaseBefore(long position) {
        disk.releasedPosition = Math.max(disk.releasedPosition, position);
        disk.entries.removeIf(entry -> entry.endPosition <= disk.releasedPosition);
    }

    @Override
    public synchronized long unreleasedBytes() {
        return atReplayBound ? maxUnreleasedBytes() : endPosition - disk.releasedPosition;
    }

    @Override
    public synchronized boolean isReleaseAwaited() {
        return atReplayBound && !capacityWaiters.isEmpty();
    }

    @Override
    public long maxUnreleasedBytes() {
        return 256L << 20;
    }

    @Override
    public @Nullable IOException shortage() {
        return null;
    }

    @Override
    public boolean isFailed() {
        return failure != null;
    }

    @Override
    public @Nullable Path file() {
        return null;
    }

    @Override
    public void close() {
        flush();
        if (failure == null) {
            disk.clean = true;
        }
    }
}
