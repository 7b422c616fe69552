package io.sluice.storage.local.segment;

import java.util.Arrays;

/**
 * Where to begin looking in a segment: for every so many bytes one entry with the offset of a batch, its position and the
 * largest timestamp before it. Memory is bounded: when {@value #MAX_ENTRIES} entries are taken every second one is dropped
 * and the distance doubles. Safe on every thread.
 */
public final class SegmentIndex {
    static final int MAX_ENTRIES = 4096;
    private static final int FIRST_ENTRIES = 8;

    private final long baseOffset;
    private int intervalBytes;
    private int count;
    private int[] offsets = new int[0];
    private int[] positions = new int[0];
    private long[] timestampsBefore = new long[0];

    /**
     * An empty index.
     *
     * @param baseOffset of the segment
     * @param intervalBytes least distance between entries
     */
    public SegmentIndex(long baseOffset, int intervalBytes) {
        this.baseOffset = baseOffset;
        this.intervalBytes = intervalBytes;
    }

    /**
     * Takes note of a batch. Batches come in the order of the file.
     *
     * @param offset its first
     * @param position where it begins
     * @param maxTimestampBefore the largest of all batches before it in the segment
     */
    public synchronized void onBatch(long offset, int position, long maxTimestampBefore) {
        int last = count == 0 ? 0 : positions[count - 1];
        if (position - last < intervalBytes) {
            return;
        }
        if (count == MAX_ENTRIES) {
            thinOut();
            onBatch(offset, position, maxTimestampBefore);
            return;
        }
        if (count == offsets.length) {
            grow(Math.max(FIRST_ENTRIES, Math.min(MAX_ENTRIES, count * 2)));
        }
        offsets[count] = (int) (offset - baseOffset);
        positions[count] = position;
        timestampsBefore[count] = maxTimestampBefore;
        count++;
    }

    private void grow(int capacity) {
        offsets = Arrays.copyOf(offsets, capacity);
        positions = Arrays.copyOf(positions, capacity);
        timestampsBefore = Arrays.copyOf(timestampsBefore, capacity);
    }

    private void thinOut() {
        int kept = 0;
        for (int i = 1; i < count; i += 2) {
            offsets[kept] = offsets[i];
            positions[kept] = positions[i];
            timestampsBefore[kept] = timestampsBefore[i];
            kept++;
        }
        count = kept;
        intervalBytes *= 2;
    }

    /** Position of a batch at or before the one that holds an offset. */
    public synchronized int positionFor(long offset) {
        long relative = offset - baseOffset;
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (offsets[middle] <= relative) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? 0 : positions[low - 1];
    }

    /** Position of a batch before which every timestamp is smaller. */
    public synchronized int positionForTimestamp(long timestamp) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timestampsBefore[middle] < timestamp) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? 0 : positions[low - 1];
    }

    /** The last position of an entry at or before {@code position}, 0 where there is none: a batch begins there. */
    public synchronized int lastEntryAtOrBefore(int position) {
        int found = Arrays.binarySearch(positions, 0, count, position);
        int at = found >= 0 ? found : -found - 2;
        return at < 0 ? 0 : positions[at];
    }

    /** Offset of the batch that the entry for this position says begins there, or -1 where there is no such entry. */
    public synchronized long offsetAt(int position) {
        int found = Arrays.binarySearch(positions, 0, count, position);
        return found < 0 ? -1 : baseOffset + offsets[found];
    }

    /** How many entries there are. */
    public synchronized int size() {
        return count;
    }

    /** The index as bytes, for {@link SegmentIndexFile}. */
    synchronized void copyTo(SegmentIndexFile.Entries target) {
        target.intervalBytes = intervalBytes;
        target.offsets = Arrays.copyOf(offsets, count);
        target.positions = Arrays.copyOf(positions, count);
        target.timestampsBefore = Arrays.copyOf(timestampsBefore, count);
    }

    static SegmentIndex of(long baseOffset, SegmentIndexFile.Entries entries) {
        SegmentIndex index = new SegmentIndex(baseOffset, entries.intervalBytes);
        index.offsets = entries.offsets;
        index.positions = entries.positions;
        index.timestampsBefore = entries.timestampsBefore;
        index.count = entries.offsets.length;
        return index;
    }
}
