package io.sluice.storage.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A preallocated file that is written in whole blocks, each durable when the call returns. For one thread. */
public interface DirectFile extends Closeable {
    /** The name under which it was opened. */
    Path path();

    /** How writes become durable, for logs and diagnosis. */
    Mechanism mechanism();

    /** Positions, lengths and memory addresses are multiples of this many bytes, a power of two. */
    int alignment();

    /**
     * Writes everything that remains in the source and returns when it is on stable storage. Does not extend the file.
     *
     * @param source direct memory; address of its position, and its remaining bytes, aligned
     * @param position aligned
     * @throws IOException outcome unknown: any subset of the sectors may have been written
     */
    void writeDurably(ByteBuffer source, long position) throws IOException;

    /** Ways to stable storage. */
    enum Mechanism {
        /** Past the page cache, flushed by the write itself (O_DIRECT and O_DSYNC). */
        DIRECT,
        /** Through the page cache, then fdatasync. */
        DATA_SYNC
    }
}
