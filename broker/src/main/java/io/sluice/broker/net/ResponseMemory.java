package io.sluice.broker.net;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The budget for answers of all connections that clients have not taken yet. While half of it is free, one answer may have
 * an eighth of what is free; after that each gets a small share, so that five hundred clients that do not read cannot take
 * everything from those that do. Small answers are counted and never refused: a connection that does not take its answer
 * gets no further one.
 *
 * <p>Safe on every thread.
 */
final class ResponseMemory {
    private static final int LARGEST_SMALL_SHARE_BYTES = 64 << 10;
    private static final int SMALLEST_SHARE_BYTES = 4 << 10;
    private static final int LARGE_PARTS = 8;
    private static final int SMALL_PARTS = 1024;

    private final long limitBytes;
    private final long smallShareBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    ResponseMemory(long limitBytes) {
        this.limitBytes = limitBytes;
        long part = Math.max(SMALLEST_SHARE_BYTES, limitBytes / SMALL_PARTS);
        this.smallShareBytes = Math.min(LARGEST_SMALL_SHARE_BYTES, part);
    }

    /**
     * Sets memory aside.
     *
     * @return how much: at most what is wanted, 0 when there is none
     */
    int reserve(int wantedBytes) {
        long used = usedBytes.get();
        while (true) {
            int granted = share(wantedBytes, limitBytes - used);
            if (usedBytes.compareAndSet(used, used + granted)) {
                return granted;
            }
            used = usedBytes.get();
        }
    }

    private int share(int wantedBytes, long freeBytes) {
        long share = freeBytes > limitBytes / 2 ? Math.max(smallShareBytes, freeBytes / LARGE_PARTS) : smallShareBytes;
        long most = Math.min(wantedBytes, share);
        return most <= freeBytes ? (int) most : 0;
    }

    /** Counts more, or less when negative. */
    void add(long bytes) {
        usedBytes.addAndGet(bytes);
    }

    /** Whether half is used, so that a connection gets its next answer only when it has taken all before. */
    boolean isShort() {
        return usedBytes.get() > limitBytes / 2;
    }

    /** Whether three quarters are used, so that those who do not read must go sooner. */
    boolean isScarce() {
        return usedBytes.get() > limitBytes / 4 * 3;
    }

    long usedBytes() {
        return usedBytes.get();
    }

    long limitBytes() {
        return limitBytes;
    }
}
