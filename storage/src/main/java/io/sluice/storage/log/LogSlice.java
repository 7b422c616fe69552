package io.sluice.storage.log;

import io.netty.buffer.ByteBuf;
import java.nio.channels.FileChannel;
import java.util.List;

/**
 * Batches that were read, as pieces of memory or of a file. One owner, who calls {@link #release()} exactly once: the
 * file stays open and the memory stays taken until then.
 */
public interface LogSlice {
    /** Bytes in all pieces. */
    int sizeInBytes();

    /** Records in all batches, as their headers count them: those before the offset asked for and markers included. */
    long recordCount();

    /** The pieces in order. */
    List<Piece> pieces();

    /** Gives memory and files back. */
    void release();

    /** A run of bytes. */
    sealed interface Piece {
        /** In memory; owned by the slice. Retain to keep it longer. */
        record Memory(ByteBuf bytes) implements Piece {}

        /** In a file, plaintext that was checked since it was opened; may be sent without copying. */
        record FileRegion(FileChannel channel, long position, int length) implements Piece {}
    }
}
