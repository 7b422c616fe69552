package io.sluice.protocol.record;

import io.sluice.base.memory.MemoryExhaustedException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Heap memory for large windows over decompressed records, shared by all cursors, so that a few clients with huge records
 * cannot use the heap up. Safe on every thread.
 */
final class WindowBudget {
    /** A reader of a record may need its window twice more: for the record built anew, and for that compressed. */
    private static final int HEAP_DIVISOR = 8;

    private static final long MIN_BYTES = 16 << 20;

    /** That of this process. */
    static final WindowBudget OF_HEAP =
            new WindowBudget(Math.max(MIN_BYTES, Runtime.getRuntime().maxMemory() / HEAP_DIVISOR));

    private final long limitBytes;
    private final AtomicLong takenBytes = new AtomicLong();

    WindowBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** More than this no window may have. */
    long limitBytes() {
        return limitBytes;
    }

    long takenBytes() {
        return takenBytes.get();
    }

    /**
     * Takes memory.
     *
     * @throws MemoryExhaustedException when others have too much of it now; nothing was taken
     */
    void take(long bytes) {
        long taken = takenBytes.addAndGet(bytes);
        if (taken > limitBytes) {
            throw MemoryExhaustedException.ofHeap(bytes, takenBytes.addAndGet(-bytes), limitBytes);
        }
    }

    void giveBack(long bytes) {
        takenBytes.addAndGet(-bytes);
    }
}
