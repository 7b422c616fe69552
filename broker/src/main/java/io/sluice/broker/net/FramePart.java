package io.sluice.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

/** A part of a request's frame. The frame's memory stays until the last reference to the part is released. */
final class FramePart extends UnpooledDirectByteBuf {
    private final ByteBuf frame;

    /**
     * A part with one reference, which holds one of the frame's.
     *
     * @param part points into the frame
     */
    FramePart(ByteBuf frame, ByteBuffer part) {
        super(UnpooledByteBufAllocator.DEFAULT, part, part.remaining());
        this.frame = frame.retain();
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        frame.release();
    }
}
