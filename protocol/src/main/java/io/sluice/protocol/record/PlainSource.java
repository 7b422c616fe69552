package io.sluice.protocol.record;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The records of an uncompressed batch, where they are. */
final class PlainSource implements RecordSource {
    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int end;

    PlainSource open(ByteBuf buffer, int end) {
        this.buffer = buffer;
        this.end = end;
        return this;
    }

    @Override
    public int seek(int position, int bytes) {
        return position;
    }

    @Override
    public ByteBuf bytes() {
        return buffer;
    }

    @Override
    public int available(int position) {
        return end - position;
    }

    @Override
    public void close() {
        buffer = Unpooled.EMPTY_BUFFER;
        end = 0;
    }
}
