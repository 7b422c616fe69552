package io.sluice.broker.fetch;

import io.netty.buffer.ByteBuf;
import io.sluice.storage.log.LogSlice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Writable;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Takes what the codec writes and notes where records belong, instead of copying them: what comes out is memory with what
 * the codec wrote, cut into pieces, and the records' own pieces in between. Byte for byte what Kafka's own writer gives.
 */
final class SplitWritable implements Writable {
    private static final int PAYLOAD_BITS = 7;
    private static final int PAYLOAD_MASK = 0x7f;
    private static final int CONTINUES = 0x80;

    private final ByteBuf written;
    private final List<Object> parts = new ArrayList<>();
    private int cutAt;

    /**
     * An empty answer.
     *
     * @param written takes what the codec writes, records aside; taken over
     */
    SplitWritable(ByteBuf written) {
        this.written = written;
    }

    /** The whole, in order; every part is the caller's to release. */
    List<Object> finish() {
        cut();
        written.release();
        return parts;
    }

    private void cut() {
        int length = written.writerIndex() - cutAt;
        if (length > 0) {
            parts.add(written.retainedSlice(cutAt, length));
            cutAt = written.writerIndex();
        }
    }

    @Override
    public void writeRecords(BaseRecords records) {
        if (records instanceof SlicedRecords sliced) {
            cut();
            addPieces(sliced.slice());
        } else {
            writeByteBuffer(((MemoryRecords) records).buffer());
        }
    }

    private void addPieces(LogSlice slice) {
        SliceLease lease = new SliceLease(slice);
        for (LogSlice.Piece piece : slice.pieces()) {
            if (piece instanceof LogSlice.Piece.Memory memory) {
                parts.add(memory.bytes().retainedSlice());
            } else {
                parts.add(lease.region((LogSlice.Piece.FileRegion) piece));
            }
        }
        lease.release();
    }

    @Override
    public void writeByte(byte value) {
        written.writeByte(value);
    }

    @Override
    public void writeShort(short value) {
        written.writeShort(value);
    }

    @Override
    public void writeInt(int value) {
        written.writeInt(value);
    }

    @Override
    public void writeLong(long value) {
        written.writeLong(value);
    }

    @Override
    public void writeDouble(double value) {
        written.writeDouble(value);
    }

    @Override
    public void writeByteArray(byte[] bytes) {
        written.writeBytes(bytes);
    }

    @Override
    public void writeByteBuffer(ByteBuffer bytes) {
        written.writeBytes(bytes);
    }

    @Override
    public void writeUnsignedVarint(int value) {
        writeUnsigned(value & 0xffffffffL);
    }

    @Override
    public void writeVarint(int value) {
        writeUnsignedVarint((value << 1) ^ (value >> 31));
    }

    @Override
    public void writeVarlong(long value) {
        writeUnsigned((value << 1) ^ (value >> 63));
    }

    private void writeUnsigned(long value) {
        long left = value;
        while ((left & ~PAYLOAD_MASK) != 0) {
            written.writeByte((int) (left & PAYLOAD_MASK) | CONTINUES);
            left >>>= PAYLOAD_BITS;
        }
        written.writeByte((int) left);
    }
}
