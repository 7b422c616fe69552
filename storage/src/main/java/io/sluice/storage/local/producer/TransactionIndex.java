package io.sluice.storage.local.producer;

import io.netty.buffer.ByteBuf;
import io.sluice.storage.log.ReadResult.AbortedTransaction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Transactions of one log: the open ones, those whose marker is not visible yet, and the aborted ones that readers must
 * be told of. Safe on every thread. Logs that never see a transaction pay one volatile read.
 */
public final class TransactionIndex {
    private static final long NONE = Long.MAX_VALUE;
    private static final int ABORTED_BYTES = 4 * Long.BYTES;

    private final TreeMap<Long, Long> openByStart = new TreeMap<>();
    private final ArrayDeque<Ended> endedNotVisible = new ArrayDeque<>();
    private final List<Aborted> aborted = new ArrayList<>();
    private volatile boolean used;

    /** A transaction whose marker has its place but may not be visible. */
    private record Ended(long firstOffset, long markerOffset) {}

    /** An aborted transaction; {@code stableOffset} is the last stable offset once its marker was appended. */
    private record Aborted(long producerId, long firstOffset, long markerOffset, long stableOffset) {}

    /** A transaction began with the batch at this offset. */
    synchronized void onStart(long firstOffset, long producerId) {
        used = true;
        openByStart.put(firstOffset, producerId);
    }

    /** A marker ended the transaction that began at this offset. */
    synchronized void onEnd(long firstOffset, long producerId, long markerOffset, boolean commit) {
        used = true;
        openByStart.remove(firstOffset);
        endedNotVisible.add(new Ended(firstOffset, markerOffset));
        if (!commit) {
            long stable = openByStart.isEmpty() ? markerOffset + 1 : openByStart.firstKey();
            aborted.add(new Aborted(producerId, firstOffset, markerOffset, stable));
        }
    }

    /**
     * The last stable offset under a visible offset: below it no transaction is open or ended by a marker that is not
     * visible.
     */
    public long stableOffset(long visibleOffset) {
        return used ? stableOffsetSlow(visibleOffset) : visibleOffset;
    }

    /** Forgets markers that have become visible: nobody may ever ask for the stable offset. */
    public void onVisible(long visibleOffset) {
        if (used) {
            forgetVisible(visibleOffset);
        }
    }

    private synchronized void forgetVisible(long visibleOffset) {
        Ended first = endedNotVisible.peekFirst();
        while (first != null && first.markerOffset < visibleOffset) {
            endedNotVisible.removeFirst();
            first = endedNotVisible.peekFirst();
        }
    }

    /** How many have a marker that may not be visible. */
    synchronized int endedNotVisible() {
        return endedNotVisible.size();
    }

    private synchronized long stableOffsetSlow(long visibleOffset) {
        forgetVisible(visibleOffset);
        long first = openByStart.isEmpty() ? NONE : openByStart.firstKey();
        for (Ended ended : endedNotVisible) {
            first = Math.min(first, ended.firstOffset);
        }
        return Math.min(first, visibleOffset);
    }

    /** The aborted transactions that overlap {@code [fromOffset, endOffset)}, in the order of their markers. */
    public List<AbortedTransaction> abortedBetween(long fromOffset, long endOffset) {
        return used ? abortedSlow(fromOffset, endOffset) : List.of();
    }

    private synchronized List<AbortedTransaction> abortedSlow(long fromOffset, long endOffset) {
        List<AbortedTransaction> found = new ArrayList<>();
        for (int i = firstEndingAtOrAfter(fromOffset); i < aborted.size(); i++) {
            Aborted one = aborted.get(i);
            if (one.firstOffset < endOffset) {
                found.add(new AbortedTransaction(one.producerId, one.firstOffset));
            }
            if (one.stableOffset >= endOffset) {
                break;
            }
        }
        return found;
    }

    /** Whether the data of a producer at this offset belongs to a transaction that was aborted. */
    public boolean isAborted(long producerId, long offset) {
        return used && isAbortedSlow(producerId, offset);
    }

    private synchronized boolean isAbortedSlow(long producerId, long offset) {
        for (int i = firstEndingAtOrAfter(offset); i < aborted.size(); i++) {
            Aborted one = aborted.get(i);
            if (one.producerId == producerId && one.firstOffset <= offset) {
                return true;
            }
            if (one.producerId == producerId || one.stableOffset > offset) {
                return false; // what had begun by then has ended, too
            }
        }
        return false;
    }

    private int firstEndingAtOrAfter(long offset) {
        int low = 0;
        int high = aborted.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (aborted.get(middle).markerOffset < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Forgets aborted transactions that lie wholly below the log's start. */
    public synchronized void onLogStart(long logStartOffset) {
        aborted.subList(0, firstEndingAtOrAfter(logStartOffset)).clear();
    }

    /** How many bytes {@link #writeAbortedTo} writes. */
    synchronized int sizeInBytes() {
        return Integer.BYTES + aborted.size() * ABORTED_BYTES;
    }

    synchronized void writeAbortedTo(ByteBuf out) {
        out.writeInt(aborted.size());
        for (Aborted one : aborted) {
            out.writeLong(one.producerId)
                    .writeLong(one.firstOffset)
                    .writeLong(one.markerOffset)
                    .writeLong(one.stableOffset);
        }
    }

    synchronized void readAbortedFrom(ByteBuf in) {
        int count = in.readInt();
        used |= count > 0;
        for (int i = 0; i < count; i++) {
            aborted.add(new Aborted(in.readLong(), in.readLong(), in.readLong(), in.readLong()));
        }
    }
}
