package io.sluice.storage.local.segment;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Damaged batches of a segment. They are not served and not read again until the next start. Bounded; beyond the bound a
 * damaged batch is found anew at each read. Safe on every thread.
 */
public final class Quarantine {
    private static final int MAX_RANGES = 1024;

    private volatile List<Range> ranges = List.of();

    /**
     * A damaged batch.
     *
     * @param position where it begins in the file
     * @param offset the first one that cannot be read
     */
    public record Range(int position, long offset) {}

    /** Takes note of a damaged batch; returns whether it was not known. */
    public synchronized boolean add(int position, long offset) {
        if (at(position) != null || ranges.size() >= MAX_RANGES) {
            return false;
        }
        List<Range> more = new ArrayList<>(ranges);
        more.add(new Range(position, offset));
        ranges = List.copyOf(more);
        return true;
    }

    /** The damaged batch at a position, or null. */
    public @Nullable Range at(int position) {
        List<Range> current = ranges;
        for (int i = 0; i < current.size(); i++) {
            if (current.get(i).position == position) {
                return current.get(i);
            }
        }
        return null;
    }

    /** How many there are. */
    public int size() {
        return ranges.size();
    }
}
