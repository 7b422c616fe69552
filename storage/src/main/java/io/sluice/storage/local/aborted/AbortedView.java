package io.sluice.storage.local.aborted;

import io.sluice.storage.log.ReadResult.AbortedTransaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The aborted transactions of a log at one moment, and perhaps some that ended since. It does not change when the log
 * forgets some; only their files go, and reading one of those fails with {@link java.nio.file.NoSuchFileException}. Safe on
 * every thread.
 */
public final class AbortedView {
    /** Of a log in which none was ever aborted. */
    public static final AbortedView NONE = new AbortedView(new AbortedPart[0], new AbortedBlock(), 0);

    private final AbortedPart[] full;
    private final AbortedBlock tail;
    private final long floor;

    /**
     * A view.
     *
     * @param full parts in the order of their markers, none of which changes any more
     * @param tail what comes behind them
     * @param floor those that ended before do not count
     */
    AbortedView(AbortedPart[] full, AbortedBlock tail, long floor) {
        this.full = full;
        this.tail = tail;
        this.floor = floor;
    }

    /**
     * Those that ended before this offset are forgotten, whether they are still here or not. It only ever grows; who finds
     * it the same before and after has looked, in between, at a log in which no forgotten one has data left and every other
     * one still has its marker.
     */
    public long floor() {
        return floor;
    }

    AbortedPart[] full() {
        return full;
    }

    AbortedBlock tail() {
        return tail;
    }

    AbortedView withTail(AbortedBlock next) {
        AbortedPart[] more = full;
        if (tail.count() > 0) {
            more = Arrays.copyOf(full, full.length + 1);
            more[full.length] = tail;
        }
        return new AbortedView(more, next, floor);
    }

    AbortedView with(int index, AbortedChunk chunk) {
        AbortedPart[] changed = full.clone();
        changed[index] = chunk;
        return new AbortedView(changed, tail, floor);
    }

    AbortedView from(long newFloor) {
        int gone = firstEndingAtOrAfter(newFloor);
        boolean all = gone == full.length && tail.lastMarker() < newFloor;
        return new AbortedView(Arrays.copyOfRange(full, gone, full.length), all ? new AbortedBlock() : tail, newFloor);
    }

    int firstEndingAtOrAfter(long offset) {
        int low = 0;
        int high = full.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (full[middle].lastMarker() < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private AbortedPart part(int index) {
        return index < full.length ? full[index] : tail;
    }

    /**
     * Those that overlap {@code [fromOffset, endOffset)}, in the order of their markers. Parts in which none began before
     * {@code endOffset} are passed over.
     *
     * @param mayRead whether this thread may block on the disk
     * @return null where it would have to
     * @throws UnreadableChunkException if some of them are not known
     */
    public @Nullable List<AbortedTransaction> between(long fromOffset, long endOffset, boolean mayRead)
            throws IOException {
        long from = Math.max(fromOffset, floor);
        if (this == NONE) {
            return List.of();
        }
        List<AbortedTransaction> found = new ArrayList<>();
        boolean more = true;
        for (int i = firstEndingAtOrAfter(from); more && i <= full.length; i++) {
            AbortedPart part = part(i);
            if (part.lowestFirst() >= endOffset) {
                more = part.lastStable() < endOffset;
                continue;
            }
            AbortedBlock block = mayRead ? part.read() : part.inMemory();
            if (block == null) {
                return null;
            }
            more = block.collect(from, endOffset, found);
        }
        return found;
    }

    /**
     * Whether the data of a producer at this offset belongs to a transaction that was aborted. May block on the disk.
     *
     * @throws UnreadableChunkException if that is not known
     */
    public boolean isAborted(long producerId, long offset) throws IOException {
        long from = Math.max(offset, floor);
        for (int i = firstEndingAtOrAfter(from); i <= full.length; i++) {
            AbortedPart part = part(i);
            if (part.lowestFirst() <= offset) {
                AbortedBlock.Answer answer = part.read().find(producerId, offset, from);
                if (answer != AbortedBlock.Answer.GO_ON) {
                    return answer == AbortedBlock.Answer.ABORTED;
                }
            } else if (part.lastStable() > offset) {
                return false;
            }
        }
        return false;
    }
}
