package io.sluice.storage.local.segment;

import io.netty.buffer.ByteBuf;

/** What the catalogue keeps of a segment, so that nothing of it has to be read at start. */
public record SegmentState(
        SegmentName name,
        int sizeBytes,
        long nextOffset,
        long maxTimestamp,
        long offsetOfMaxTimestamp,
        long firstTimestamp) {
    /** Bytes it takes in the catalogue. */
    public static final int BYTES = 5 * Long.BYTES + 2 * Integer.BYTES;

    /** Writes it; docs/formats/catalogue.md has the layout. */
    public void writeTo(ByteBuf out) {
        out.writeLong(name.baseOffset())
                .writeInt(name.version())
                .writeInt(sizeBytes)
                .writeLong(nextOffset)
                .writeLong(maxTimestamp)
                .writeLong(offsetOfMaxTimestamp)
                .writeLong(firstTimestamp);
    }

    /** Reads what {@link #writeTo} wrote. */
    public static SegmentState readFrom(ByteBuf in) {
        SegmentName name = new SegmentName(in.readLong(), in.readInt());
        return new SegmentState(name, in.readInt(), in.readLong(), in.readLong(), in.readLong(), in.readLong());
    }
}
