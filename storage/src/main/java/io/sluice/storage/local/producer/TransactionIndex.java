package io.sluice.storage.local.producer;

import io.sluice.storage.local.aborted.AbortedTransactions;
import java.util.ArrayDeque;
import java.util.TreeMap;

/**
 * Transactions of one log: the open ones, those whose marker is not visible yet, and the aborted ones that readers must
 * be told of. Safe on every thread. Logs that never see a transaction pay one volatile read.
 */
public final class TransactionIndex {
    private static final long NONE = Long.MAX_VALUE;
    private final TreeMap<Long, Long> openByStart = new TreeMap<>();
    private final ArrayDeque<Ended> endedNotVisible = new ArrayDeque<>();
    private final AbortedTransactions aborted;
    private volatile boolean used;

    /** A transaction whose marker has its place but may not be visible. */
    private record Ended(long firstOffset, long markerOffset) {}

    /**
     * No transactions.
     *
     * @param blockEntries aborted ones in each block of the heap
     */
    TransactionIndex(int blockEntries) {
        aborted = new AbortedTransactions(blockEntries);
    }

    /** The aborted ones; who changes them holds the append lock. */
    public AbortedTransactions aborted() {
        return aborted;
    }

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
            aborted.add(producerId, firstOffset, markerOffset, stable);
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
}
