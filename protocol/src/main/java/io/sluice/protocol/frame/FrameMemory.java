package io.sluice.protocol.frame;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Where the assembler gets its buffers. Counted by the implementation from hand-out until {@link #giveBack}. */
public interface FrameMemory {
    /** A buffer for bytes that are here already: the budget may be passed, by little. */
    ByteBuf take(int capacity);

    /** A buffer for bytes still to come; null when there is no room for it now. */
    @Nullable ByteBuf tryTake(int capacity);

    /**
     * A larger buffer with the same contents in place of one handed out, which is given back; null, and nothing changed,
     * when there is no room for the difference now.
     */
    @Nullable ByteBuf tryGrow(ByteBuf buffer, int capacity);

    /** Ends the use of a buffer handed out. */
    void giveBack(ByteBuf buffer);
}
