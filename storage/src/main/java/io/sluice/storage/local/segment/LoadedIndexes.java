package io.sluice.storage.local.segment;

import java.util.ArrayDeque;

/**
 * Bounds the indexes in memory of segments that are not appended to: when there are too many, the one loaded first goes, and
 * is read again when it is needed. Safe on every thread.
 */
public final class LoadedIndexes {
    /** Indexes kept; each takes 64 KiB at most. */
    static final int LIMIT = 256;

    private final ArrayDeque<Segment> loaded = new ArrayDeque<>();

    /** An index was loaded, or its segment has just been ended. */
    void add(Segment segment) {
        Segment oldest;
        synchronized (this) {
            loaded.add(segment);
            oldest = loaded.size() > LIMIT ? loaded.remove() : null;
        }
        if (oldest != null) {
            oldest.dropIndex();
        }
    }

    /** A segment's files are gone. */
    synchronized void remove(Segment segment) {
        loaded.remove(segment);
    }

    /** How many are kept. */
    public synchronized int count() {
        return loaded.size();
    }
}
