package io.sluice.storage.local.aborted;

import io.sluice.storage.log.ReadResult.AbortedTransaction;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Aborted transactions in the heap, in the order of their markers. One thread adds; all others see what was added before
 * they looked. Full ones never change.
 */
final class AbortedBlock implements AbortedPart {
    /** Bytes of each wherever it is written: producer id, first offset, offset of the marker, last stable offset then. */
    static final int ENTRY_BYTES = 4 * Long.BYTES;

    private static final int WORDS = 4;
    private static final int FIRST = 1;
    private static final int MARKER = 2;
    private static final int STABLE = 3;
    private static final int FEW = 4;

    private volatile long[] words;
    private volatile long lowestFirst = Long.MAX_VALUE;
    private volatile int count;

    /** What a search has found out about data of a producer. */
    enum Answer {
        ABORTED,
        NOT_ABORTED,
        /** What would tell comes behind this part, if anywhere. */
        GO_ON
    }

    /** An empty one. */
    AbortedBlock() {
        words = new long[FEW * WORDS];
    }

    /** One that was written, of which the entries remain in a buffer. */
    static AbortedBlock readFrom(ByteBuffer entries) {
        AbortedBlock block = new AbortedBlock();
        int count = entries.remaining() / ENTRY_BYTES;
        block.words = new long[count * WORDS];
        for (int i = 0; i < count; i++) {
            block.add(entries.getLong(), entries.getLong(), entries.getLong(), entries.getLong());
        }
        return block;
    }

    /** Adds one whose marker is behind those of all others, and whose last stable offset is not before theirs. */
    void add(long producerId, long firstOffset, long markerOffset, long stableOffset) {
        int index = count;
        long[] target = words;
        int at = index * WORDS;
        if (at == target.length) {
            target = Arrays.copyOf(target, 2 * target.length);
        }
        target[at] = producerId;
        target[at + FIRST] = firstOffset;
        target[at + MARKER] = markerOffset;
        target[at + STABLE] = stableOffset;
        words = target;
        lowestFirst = Math.min(lowestFirst, firstOffset);
        count = index + 1;
    }

    int count() {
        return count;
    }

    /** Offset of the first one's marker; of a block that holds some. */
    long firstMarker() {
        return words[MARKER];
    }

    @Override
    public long lastMarker() {
        int seen = count;
        return seen == 0 ? NONE : words[(seen - 1) * WORDS + MARKER];
    }

    @Override
    public long lowestFirst() {
        return lowestFirst;
    }

    @Override
    public long lastStable() {
        int seen = count;
        return seen == 0 ? NONE : words[(seen - 1) * WORDS + STABLE];
    }

    @Override
    public AbortedBlock inMemory() {
        return this;
    }

    @Override
    public AbortedBlock read() {
        return this;
    }

    /** How many end before an offset. */
    int endingBefore(long offset) {
        return firstEndingAtOrAfter(words, count, offset);
    }

    private static int firstEndingAtOrAfter(long[] entries, int count, long offset) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (entries[middle * WORDS + MARKER] < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Adds to what was found those that end at {@code fromOffset} or behind and begin before {@code endOffset}.
     *
     * @return whether there may be more in the parts behind
     */
    boolean collect(long fromOffset, long endOffset, List<AbortedTransaction> found) {
        int seen = count;
        long[] entries = words;
        for (int i = firstEndingAtOrAfter(entries, seen, fromOffset); i < seen; i++) {
            int at = i * WORDS;
            if (entries[at + FIRST] < endOffset) {
                found.add(new AbortedTransaction(entries[at], entries[at + FIRST]));
            }
            if (entries[at + STABLE] >= endOffset) {
                return false; // whatever ends behind has begun there
            }
        }
        return true;
    }

    /** Whether data of a producer belongs to one of those that end at {@code fromOffset} or behind. */
    Answer find(long producerId, long offset, long fromOffset) {
        int seen = count;
        long[] entries = words;
        for (int i = firstEndingAtOrAfter(entries, seen, fromOffset); i < seen; i++) {
            int at = i * WORDS;
            boolean its = entries[at] == producerId;
            if (its && entries[at + FIRST] <= offset) {
                return Answer.ABORTED;
            }
            if (its || entries[at + STABLE] > offset) {
                return Answer.NOT_ABORTED; // what had begun by then has ended, too
            }
        }
        return Answer.GO_ON;
    }

    /** Writes the entries from one on. */
    void writeTo(ByteBuffer out, int from) {
        int end = count * WORDS;
        long[] entries = words;
        for (int i = from * WORDS; i < end; i++) {
            out.putLong(entries[i]);
        }
    }
}
