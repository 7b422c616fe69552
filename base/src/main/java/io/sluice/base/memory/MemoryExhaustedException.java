package io.sluice.base.memory;

/**
 * The counted allocator, or another counted share of memory, is at its limit. Not an error of the virtual machine: nothing is broken, whoever asked must wait,
 * do with less or drop its connection.
 */
public final class MemoryExhaustedException extends RuntimeException {
    /** Names what was asked and what there is. */
    public MemoryExhaustedException(long wantedBytes, long usedBytes, long limitBytes) {
        this("direct", wantedBytes, usedBytes, limitBytes);
    }

    private MemoryExhaustedException(String kind, long wantedBytes, long usedBytes, long limitBytes) {
        super("no " + kind + " memory for " + wantedBytes + " bytes: " + usedBytes + " of " + limitBytes
                + " bytes are in use");
    }

    /** The same for a share of the heap that is counted. */
    public static MemoryExhaustedException ofHeap(long wantedBytes, long usedBytes, long limitBytes) {
        return new MemoryExhaustedException("heap", wantedBytes, usedBytes, limitBytes);
    }
}
