package io.sluice.storage.journal;

import java.util.ArrayDeque;

/** Knows roughly how many bytes on disk lie behind a position. Not safe on several threads at once. */
final class UnreleasedBytes {
    private final ArrayDeque<Mark> marks = new ArrayDeque<>();
    private final long granularityBytes;
    private long total;

    /**
     * Nothing written yet.
     *
     * @param granularityBytes how exact the answers are
     */
    UnreleasedBytes(long granularityBytes) {
        this.granularityBytes = granularityBytes;
    }

    private record Mark(long position, long bytes) {}

    /** A block of so many bytes was written whose entries begin at this position. */
    void onBlock(long position, long bytes) {
        Mark last = marks.peekLast();
        if (last == null || (total - last.bytes >= granularityBytes && position > last.position)) {
            marks.addLast(new Mark(position, total));
        }
        total += bytes;
    }

    /** Everything before the position is released. */
    void release(long position, long endPosition) {
        Mark first = marks.pollFirst();
        while (first != null && !marks.isEmpty() && marks.getFirst().position <= position) {
            first = marks.pollFirst();
        }
        if (first != null && position < endPosition) {
            marks.addFirst(first);
        }
    }

    /** Bytes from the released position on, rounded up. */
    long bytes() {
        Mark first = marks.peekFirst();
        return first == null ? 0 : total - first.bytes;
    }
}
