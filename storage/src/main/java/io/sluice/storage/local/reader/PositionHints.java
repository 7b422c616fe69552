package io.sluice.storage.local.reader;

/**
 * Remembers where the last readers of a log stopped: most go on there, and need no index then. A hint may be outdated; the
 * batch found at its position tells. Safe on every thread.
 */
public final class PositionHints {
    private static final int SLOTS = 8;

    private final long[] offsets = new long[SLOTS];
    private final int[] positions = new int[SLOTS];
    private int used;
    private int nextSlot;

    /** A reader stopped before the batch at this offset and position. */
    public synchronized void put(long offset, int position) {
        for (int i = 0; i < used; i++) {
            if (offsets[i] == offset) {
                positions[i] = position;
                return;
            }
        }
        offsets[nextSlot] = offset;
        positions[nextSlot] = position;
        used = Math.max(used, nextSlot + 1);
        nextSlot = (nextSlot + 1) % SLOTS;
    }

    /** Position of the batch that begins at this offset, in the segment that holds it, or -1. */
    public synchronized int find(long offset) {
        for (int i = 0; i < used; i++) {
            if (offsets[i] == offset) {
                return positions[i];
            }
        }
        return -1;
    }
}
