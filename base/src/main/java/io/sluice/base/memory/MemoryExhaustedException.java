package io.sluice.base.memory;

/**
 * The counted allocator is at its limit. Not an error of the virtual machine: nothing is broken, whoever asked must wait,
 * do with less or drop its connection.
 */
public final class MemoryExhaustedException extends RuntimeException {
    /** Names what was asked and what there is. */
    public MemoryExhaustedException(long wantedBytes, long usedBytes, long limitBytes) {
        super("no direct memory for " + wantedBytes + " bytes: " + usedBytes + " of " + limitBytes
                + " bytes are in use");
    }
}
