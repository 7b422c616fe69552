package io.sluice.storage.journal;

/**
 * What was promised to appenders and is not on disk yet: bytes of memory, and room on the device for the worst case that
 * every entry gets a block of its own. Guarded by the journal's lock.
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
        if (kind != ReservationKind.WITH_SEGMENT) {
            return fits(isLarge(payloadBytes) ? largeBytes : copiedBytes, more);
        }
        return isLarge(payloadBytes)
                ? fits(largeBytes, more) && fits(copiedBytes, entryBytes(0))
                : fits(copiedBytes, more + entryBytes(0));
    }

    private boolean fits(long taken, long more) {
        return taken == 0 || taken + more <= config.bufferBytes();
    }

    /** Bytes of room missing for an entry, 0 or less when there is enough. */
    long missingRoom(int payloadBytes, ReservationKind kind, long usableRoom) {
        return room + worstRoom(payloadBytes, kind) - usableRoom;
    }

    private long worstRoom(int payloadBytes, ReservationKind kind) {
        return worstRoom(payloadBytes) + (kind == ReservationKind.WITH_SEGMENT ? worstRoom(0) : 0);
    }

    /** Whether a restart would replay more than it may with this entry. */
    boolean exceedsReplayBound(int payloadBytes, ReservationKind kind, long unreleasedBytes) {
        long before = unreleasedBytes + room;
        return kind != ReservationKind.FOR_CHECKPOINT
                && before > 0
                && before + worstRoom(payloadBytes, kind) > config.maxUnreleasedBytes();
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
