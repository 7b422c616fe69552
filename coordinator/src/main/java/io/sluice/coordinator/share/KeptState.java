package io.sluice.coordinator.share;

import io.sluice.storage.config.ShareGroupKeys;
import java.util.Comparator;
import java.util.List;

/**
 * What is kept of one share partition, read by the rules of the library that keeps it: the start never goes back, and where two
 * things are said of an offset the higher delivery count stands, then the higher state. So what is kept wrongly cannot be
 * corrected by writing; it takes {@link SharePartitionStore#reset}.
 *
 * @param startOffset everything below is settled
 * @param ranges by offset, without overlap, none of them wholly below the start
 */
record KeptState(long startOffset, List<SavedRange> ranges) {
    private static final Comparator<SavedRange> STRENGTH =
            Comparator.comparingInt(SavedRange::deliveryCount).thenComparingInt(SavedRange::state);

    /** As it was read. */
    static KeptState of(SharePartitionStore.Loaded loaded) {
        return new KeptState(
                loaded.startOffset(),
                loaded.ranges().stream()
                        .filter(range -> range.lastOffset() >= loaded.startOffset())
                        .sorted(Comparator.comparingLong(SavedRange::firstOffset))
                        .toList());
    }

    /**
     * What of it can be of a log that ends at an offset. What lies beyond was said of records that the log has lost, and must not
     * be taken for something said of those that come in their place.
     */
    KeptState within(long logEndOffset) {
        return new KeptState(
                Math.min(startOffset, logEndOffset),
                ranges.stream()
                        .filter(range -> range.firstOffset() < logEndOffset)
                        .map(range -> new SavedRange(
                                range.firstOffset(),
                                Math.min(range.lastOffset(), logEndOffset - 1),
                                range.state(),
                                range.deliveryCount()))
                        .toList());
    }

    /**
     * The same with delivery counts that a group can come to, whatever its limit is now: a client may have written any number. Those
     * of settled records mean nothing.
     */
    KeptState withPossibleCounts() {
        return new KeptState(
                startOffset, ranges.stream().map(KeptState::withPossibleCount).toList());
    }

    private static SavedRange withPossibleCount(SavedRange range) {
        if (isSettled(range)) {
            return range;
        }
        // What is delivered once more may come to the highest limit, and not beyond.
        int most = ShareGroupKeys.MOST_DELIVERIES - (range.state() == SavedRange.AVAILABLE ? 1 : 0);
        int count = Math.max(0, Math.min(range.deliveryCount(), most));
        return new SavedRange(range.firstOffset(), range.lastOffset(), range.state(), (short) count);
    }

    private static boolean isSettled(SavedRange range) {
        return range.state() == SavedRange.ACKNOWLEDGED || range.state() == SavedRange.ARCHIVED;
    }

    /** Whether a change is among what is kept, or something stronger is. */
    boolean holds(SharePartitionStore.Change change) {
        return startOffset >= change.startOffset() && change.ranges().stream().allMatch(this::holds);
    }

    private boolean holds(SavedRange said) {
        long next = Math.max(said.firstOffset(), startOffset);
        for (SavedRange range : ranges) {
            if (range.firstOffset() <= next && range.lastOffset() >= next && STRENGTH.compare(range, said) >= 0) {
                next = range.lastOffset() + 1;
            }
        }
        return next > said.lastOffset();
    }

    /** Offsets from the start on of which is kept that they are settled. */
    int settledCount() {
        long settled = ranges.stream()
                .filter(KeptState::isSettled)
                .mapToLong(range -> range.lastOffset() - Math.max(range.firstOffset(), startOffset) + 1)
                .sum();
        return (int) Math.min(Integer.MAX_VALUE, settled);
    }
}
