package io.sluice.storage.local.reader;

import io.sluice.storage.local.segment.SegmentName;
import org.jspecify.annotations.Nullable;

/**
 * Remembers where the last readers of a log stopped: most go on there, and need no index then. A hint may be outdated; the
 * batch found at its position tells. Safe on every thread.
 */
public final class PositionHints {
    private static final int SLOTS = 8;

    private final long[] offsets = new long[SLOTS];
    private final int[] positions = new int[SLOTS];
    private final @Nullable SegmentName[] segments = new SegmentName[SLOTS];
    private int used;
    private int nextSlot;

    /** A reader stopped in this segment before the batch at this offset and position, which may not be written yet. */
    public synchronized void put(SegmentName segment, long offset, int position) {
        for (int i = 0; i < used; i++) {
            if (offsets[i] == offset) {
                positions[i] = position;
                segments[i] = segment;
                return;
            }
        }
        offsets[nextSlot] = offset;
        positions[nextSlot] = position;
        segments[nextSlot] = segment;
        used = Math.max(used, nextSlot + 1);
        nextSlot = (nextSlot + 1) % SLOTS;
    }

    /** Position in this segment of the batch that begins at this offset, if it is in this segment, or -1. */
    public synchronized int find(SegmentName segment, long offset) {
        for (int i = 0; i < used; i++) {
            if (offsets[i] == offset) {
                return segment.equals(segments[i]) ? positions[i] : -1;
            }
        }
        return -1;
    }
}
