package io.sluice.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;

/**
 * What the connections of one event loop share: the buffer that bytes between frames are received into, which is empty
 * again before the next socket is read, and the wheel of checks. On the event loop only.
 */
final class LoopState {
    static final int SCRATCH_BYTES = 64 << 10;

    private final EventLoop loop;
    private final CheckWheel wheel;
    private final ByteBuf scratch;

    LoopState(EventLoop loop, CheckWheel wheel, ByteBuf scratch) {
        this.loop = loop;
        this.wheel = wheel;
        this.scratch = scratch;
    }

    EventLoop loop() {
        return loop;
    }

    CheckWheel wheel() {
        return wheel;
    }

    /** The empty buffer, with a reference for the receiver. */
    ByteBuf scratch() {
        return scratch.clear().retain();
    }

    /** The same, for at most so many bytes. */
    ByteBuf scratch(int bytes) {
        return scratch.retainedSlice(0, bytes).clear();
    }

    /** Ends the loop's use of memory. */
    void close() {
        scratch.release();
    }
}
