package io.sluice.storage.journal;

/**
 * What was promised to appenders and is not on disk yet: bytes of memory, and room on the device for the worst case that
 * every entry gets a block of its own. Coordinators have a little of everything to themselves: whoever else fills the
 * journal up to its bounds, they can still append. Guarded by the journal's lock.
 */
final class Reservations {
    private final JournalConfig config;
    private final int alignment;
    private final int maxCopiedBytes;
    private long copiedBytes;
    private long largeBytes;
    private long room;

    Reservations(JournalConfig config, int alignment) {
        this.config = config;
        this.alignment = alignment;
        this.maxCopiedBytes = maxCopiedBytes(config);
    }

    /** Largest payload that is copied into a group; a larger one is retained and written in fragments. */
    static int maxCopiedBytes(JournalConfig config) {
        return config.maxBlockBytes() - JournalFormat.BLOCK_HEADER_BYTES - JournalFormat.ENTRY_HEADER_BYTES;
    }

    boolean isLarge(int payloadBytes) {
        return payloadBytes > maxCopiedBytes;
    }

    /** Bytes of blocks that an entry may take at worst. */
    long worstRoom(int payloadBytes) {
        if (!isLarge(payloadBytes)) {
            return JournalFormat.roundUp(
                    (long) JournalFormat.BLOCK_HEADER_BYTES + JournalFormat.ENTRY_HEADER_BYTES + payloadBytes,
                    alignment);
        }
        long fragments = ((long) payloadBytes + maxCopiedBytes - 1) / maxCopiedBytes;
        return fragments * config.maxBlockBytes();
    }

    /** Whether the bytes may wait: where nothing waits one entry may always, however large, with that of its segment. */
    boolean hasMemoryFor(int payloadBytes, ReservationKind kind) {
        long more = entryBytes(payloadBytes);
        long bound = config.bufferBytes() + (kind.isForCoordinator() ? config.coordinatorBufferBytes() : 0L);
        if (!kind.hasSegment()) {
            return fits(isLarge(payloadBytes) ? largeBytes : copiedBytes, more, bound);
        }
        return isLarge(payloadBytes)
                ? fits(largeBytes, more, bound) && fits(copiedBytes, entryBytes(0), bound)
                : fits(copiedBytes, more + entryBytes(0), bound);
    }

    private static boolean fits(long taken, long more, long bound) {
        return taken == 0 || taken + more <= bound;
    }

    /** Bytes of room missing for an entry, 0 or less when there is enough. */
    long missingRoom(int payloadBytes, ReservationKind kind, long usableRoom) {
        int kept = kind.leavesRoom() ? config.coordinatorRoomBytes() : 0;
        return room + worstRoom(payloadBytes, kind) + kept - usableRoom;
    }

    private long worstRoom(int payloadBytes, ReservationKind kind) {
        return worstRoom(payloadBytes) + (kind.hasSegment() ? worstRoom(0) : 0);
    }

    /** Whether a restart would replay more than it may with this entry. */
    boolean exceedsReplayBound(int payloadBytes, ReservationKind kind, long unreleasedBytes) {
        long before = unreleasedBytes + room;
        long bound = config.maxUnreleasedBytes() + (kind.isForCoordinator() ? config.coordinatorReplayBytes() : 0L);
        return kind != ReservationKind.FOR_CHECKPOINT && before > 0 && before + worstRoom(payloadBytes, kind) > bound;
    }

    void add(int payloadBytes) {
        change(payloadBytes, 1);
        room += worstRoom(payloadBytes);
    }

    /** Takes back what was added for an entry that will not come. */
    void cancel(int payloadBytes) {
        change(payloadBytes, -1);
        room -= worstRoom(payloadBytes);
    }

    /** A group is on disk, or lost. */
    void complete(PendingGroup group) {
        if (group instanceof RetainedEntry entry && isLarge(entry.payload().readableBytes())) {
            largeBytes -= group.entryBytes();
        } else {
            copiedBytes -= group.entryBytes();
        }
        room -= group.reservedRoom();
    }

    private void change(int payloadBytes, int sign) {
        long bytes = sign * entryBytes(payloadBytes);
        if (isLarge(payloadBytes)) {
            largeBytes += bytes;
        } else {
            copiedBytes += bytes;
        }
    }

    private static long entryBytes(int payloadBytes) {
        return (long) JournalFormat.ENTRY_HEADER_BYTES + payloadBytes;
    }
}
