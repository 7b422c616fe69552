package io.sluice.protocol.record;

import io.netty.buffer.ByteBuf;

/**
 * Where a cursor finds the bytes of records: in the batch itself, or in a window that slides over what a decompressor
 * yields. Positions stay valid until the next {@link #seek}.
 */
interface RecordSource extends AutoCloseable {
    /**
     * Makes {@code bytes} bytes available from {@code position} on, or all that are left if those are fewer.
     *
     * @param position at or after the last one sought
     * @return where {@code position} is now
     */
    int seek(int position, int bytes);

    /** What positions are indexes of. */
    ByteBuf bytes();

    /** How many bytes can be had from {@code position} on without another {@link #seek}. */
    int available(int position);

    @Override
    void close();
}
