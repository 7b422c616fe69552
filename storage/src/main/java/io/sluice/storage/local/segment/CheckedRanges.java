package io.sluice.storage.local.segment;

/**
 * Which parts of a segment have been read and found sound since the process started. A few ranges are enough: readers
 * walk forward. Safe on every thread.
 */
final class CheckedRanges {
    private static final int MAX_RANGES = 16;

    private int[] starts = new int[0];
    private int[] ends = new int[0];
    private int count;

    /** Takes note that {@code [start, end)} is sound. */
    synchronized void add(int start, int end) {
        int first = 0;
        while (first < count && ends[first] < start) {
            first++;
        }
        int mergedStart = start;
        int mergedEnd = end;
        int last = first;
        while (last < count && starts[last] <= end) {
            mergedStart = Math.min(mergedStart, starts[last]);
            mergedEnd = Math.max(mergedEnd, ends[last]);
            last++;
        }
        replace(first, last, mergedStart, mergedEnd);
    }

    private void replace(int first, int last, int start, int end) {
        if (last == first && count == MAX_RANGES) {
            dropFirst();
            replace(Math.max(0, first - 1), Math.max(0, first - 1), start, end);
            return;
        }
        int newCount = count - (last - first) + 1;
        int[] newStarts = starts.length >= newCount ? starts : new int[MAX_RANGES];
        int[] newEnds = ends.length >= newCount ? ends : new int[MAX_RANGES];
        int tail = count - last;
        System.arraycopy(starts, last, newStarts, first + 1, tail);
        System.arraycopy(ends, last, newEnds, first + 1, tail);
        if (newStarts != starts) {
            System.arraycopy(starts, 0, newStarts, 0, first);
            System.arraycopy(ends, 0, newEnds, 0, first);
        }
        newStarts[first] = start;
        newEnds[first] = end;
        starts = newStarts;
        ends = newEnds;
        count = newCount;
    }

    private void dropFirst() {
        System.arraycopy(starts, 1, starts, 0, count - 1);
        System.arraycopy(ends, 1, ends, 0, count - 1);
        count--;
    }

    /** How far from {@code position} on everything is sound; {@code position} itself where nothing is known. */
    synchronized int soundUntil(int position) {
        for (int i = 0; i < count; i++) {
            if (starts[i] <= position && position < ends[i]) {
                return ends[i];
            }
        }
        return position;
    }
}
