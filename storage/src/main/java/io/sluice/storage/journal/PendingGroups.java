package io.sluice.storage.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.base.time.Clock;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** What was appended and is not being written yet, in order: full groups, then the one being filled. Guarded by the journal's lock. */
final class PendingGroups {
    private static final int IDLE_BUFFERS = 4;

    private final ByteBufAllocator allocator;
    private final Clock clock;
    private final int maxBlockBytes;
    private final int alignment;
    private final ArrayDeque<PendingGroup> full = new ArrayDeque<>();
    private final ArrayDeque<GroupBuffer> idleBuffers = new ArrayDeque<>();
    private @Nullable GroupBuffer filling;
    private long bytes;

    PendingGroups(ByteBufAllocator allocator, Clock clock, int maxBlockBytes, int alignment) {
        this.allocator = allocator;
        this.clock = clock;
        this.maxBlockBytes = maxBlockBytes;
        this.alignment = alignment;
    }

    /** Bytes of all entries. */
    long bytes() {
        return bytes;
    }

    /** Whether a group is waiting that will not grow any more. */
    boolean hasFull() {
        return !full.isEmpty();
    }

    /** When the oldest entry arrived; requires that there is one. */
    long oldestArrivalNanos() {
        PendingGroup oldest = full.isEmpty() ? filling : full.getFirst();
        if (oldest == null) {
            throw new IllegalStateException("nothing is pending");
        }
        return oldest.firstArrivalNanos();
    }

    /** Copies an entry that fits into a block; where there is no memory for another block, retains it. */
    void add(JournalEntryKind kind, long logId, long argument, ByteBuf payload, long endPosition, long reservedRoom) {
        GroupBuffer group = groupFor(payload.readableBytes());
        if (group == null) {
            addRetained(kind, logId, argument, payload, endPosition, reservedRoom);
            return;
        }
        group.put(kind, logId, argument, payload);
        group.account(endPosition, reservedRoom);
        bytes += JournalFormat.ENTRY_HEADER_BYTES + payload.readableBytes();
    }

    private @Nullable GroupBuffer groupFor(int payloadBytes) {
        GroupBuffer group = filling;
        if (group != null && group.fits(payloadBytes, maxBlockBytes)) {
            return group;
        }
        finishFilling();
        group = takeBuffer();
        if (group != null) {
            group.begin(clock.nanoTime());
            filling = group;
        }
        return group;
    }

    /** Retains an entry: one that does not fit into a block, or that there is no memory to copy into. */
    void addRetained(
            JournalEntryKind kind, long logId, long argument, ByteBuf payload, long endPosition, long reservedRoom) {
        finishFilling();
        RetainedEntry entry = new RetainedEntry(
                kind, logId, argument, payload.retainedSlice(), endPosition, clock.nanoTime(), reservedRoom);
        full.addLast(entry);
        bytes += entry.entryBytes();
    }

    private void finishFilling() {
        GroupBuffer before = filling;
        if (before != null) {
            full.addLast(before);
            filling = null;
        }
    }

    /** Takes the oldest group; it goes to the flush thread until it is given back. */
    PendingGroup take() {
        PendingGroup group = full.pollFirst();
        if (group == null) {
            group = filling;
            filling = null;
        }
        if (group == null) {
            throw new IllegalStateException(bytes + " bytes are pending in no group");
        }
        bytes -= group.entryBytes();
        return group;
    }

    /** Takes a group's memory back. */
    void giveBack(PendingGroup group) {
        if (group instanceof GroupBuffer buffer && idleBuffers.size() < IDLE_BUFFERS) {
            buffer.clear();
            idleBuffers.addLast(buffer);
        } else {
            group.release();
        }
    }

    /** Forgets all that is pending. */
    void drop() {
        while (bytes > 0) {
            giveBack(take());
        }
    }

    /** Releases all memory that is not in use. */
    void releaseIdle() {
        for (GroupBuffer buffer = idleBuffers.pollLast(); buffer != null; buffer = idleBuffers.pollLast()) {
            buffer.release();
        }
    }

    private @Nullable GroupBuffer takeBuffer() {
        GroupBuffer idle = idleBuffers.pollLast();
        if (idle != null) {
            return idle;
        }
        try {
            return new GroupBuffer(allocator, maxBlockBytes, alignment);
        } catch (MemoryExhaustedException e) {
            return null; // the entry was promised its place: it is written from where it is
        }
    }
}
