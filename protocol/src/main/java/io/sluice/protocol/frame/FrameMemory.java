package io.sluice.protocol.frame;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Where the assembler gets its buffers. Counted by the implementation from hand-out until {@link #giveBack}. */
public interface FrameMemory {
    /** A buffer for bytes that are here already: the budget may be passed, by little. */
    ByteBuf take(int capacity);

    /** A buffer for bytes still to come; null when there is no room for it now. */
    @Nullable ByteBuf tryTake(int capacity);

    /** Ends the use of a buffer handed out. */
    void giveBack(ByteBuf buffer);
}
