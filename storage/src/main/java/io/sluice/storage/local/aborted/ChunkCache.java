package io.sluice.storage.local.aborted;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The chunks of all logs that were read last. Safe on every thread. */
public final class ChunkCache {
    /** Transactions in a block, and so in a file, unless a store says otherwise: 128 KiB. */
    public static final int BLOCK_ENTRIES = 4096;

    /** Chunks kept: 2 MiB. */
    static final int LIMIT = 16;

    private final int blockEntries;
    private final LinkedHashMap<AbortedChunk, AbortedBlock> loaded = new LinkedHashMap<>(LIMIT, 0.75f, true);

    /**
     * An empty one.
     *
     * @param blockEntries transactions in each block of the logs that use it
     */
    public ChunkCache(int blockEntries) {
        if (blockEntries < 1) {
            throw new IllegalArgumentException("a block cannot hold " + blockEntries + " transactions");
        }
        this.blockEntries = blockEntries;
    }

    /** Transactions in a block. */
    public int blockEntries() {
        return blockEntries;
    }

    synchronized @Nullable AbortedBlock find(AbortedChunk chunk) {
        return loaded.get(chunk);
    }

    synchronized void put(AbortedChunk chunk, AbortedBlock block) {
        loaded.put(chunk, block);
        if (loaded.size() > LIMIT) {
            Map.Entry<AbortedChunk, AbortedBlock> eldest =
                    loaded.entrySet().iterator().next();
            loaded.remove(eldest.getKey());
        }
    }

    synchronized void remove(AbortedChunk chunk) {
        loaded.remove(chunk);
    }

    /** How many are kept. */
    synchronized int count() {
        return loaded.size();
    }
}
