package io.sluice.storage.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Aligned direct memory in which a group of entries is put together as one block, ready to be written. Reused.
 */
final class GroupBuffer implements PendingGroup {
    private static final ByteBuffer ZEROS =
            ByteBuffer.allocateDirect(JournalFormat.FILE_BYTES_UNIT).asReadOnlyBuffer();

    private final ByteBuf memory;
    private final ByteBuffer block;
    private final ByteBuffer zeros = ZEROS.duplicate();
    private final int alignment;
    private final CRC32C crc = new CRC32C();
    private int length;
    private long endPosition;
    private long firstArrivalNanos;
    private long reservedRoom;

    GroupBuffer(ByteBufAllocator allocator, int capacity, int alignment) {
        this.memory = allocator.directBuffer(capacity + alignment, capacity + alignment);
        this.block = memory.nioBuffer(0, capacity + alignment).alignedSlice(alignment);
        this.alignment = alignment;
        clear();
    }

    /** Makes it empty. */
    void clear() {
        length = JournalFormat.BLOCK_HEADER_BYTES;
        reservedRoom = 0;
        endPosition = 0;
    }

    boolean isEmpty() {
        return length == JournalFormat.BLOCK_HEADER_BYTES;
    }

    /** Whether an entry, or a fragment of one, with so many bytes of payload fits. */
    boolean fits(int payloadBytes, int capacity) {
        return length + JournalFormat.ENTRY_HEADER_BYTES + payloadBytes <= capacity;
    }

    /** Begins a group. */
    void begin(long arrivalNanos) {
        firstArrivalNanos = arrivalNanos;
    }

    /** Adds a whole entry. */
    void put(JournalEntryKind kind, long logId, long argument, ByteBuf payload) {
        int payloadBytes = payload.readableBytes();
        putHeader(kind, JournalFormat.PART_WHOLE, payloadBytes, payloadBytes, logId, argument);
        putPayload(payload, payload.readerIndex(), payloadBytes);
    }

    /** Adds a fragment of a large entry. */
    void putFragment(RetainedEntry entry, byte part, int from, int fragmentBytes) {
        ByteBuf payload = entry.payload();
        putHeader(entry.kind(), part, fragmentBytes, payload.readableBytes(), entry.logId(), entry.argument());
        putPayload(payload, payload.readerIndex() + from, fragmentBytes);
    }

    /** Notes what belongs to the entry just added. */
    void account(long newEndPosition, long room) {
        endPosition = newEndPosition;
        reservedRoom += room;
    }

    private void putHeader(
            JournalEntryKind kind, byte part, int fragmentBytes, int payloadBytes, long logId, long argument) {
        block.putInt(length, fragmentBytes)
                .putInt(length + JournalFormat.ENTRY_PAYLOAD_BYTES_AT, payloadBytes)
                .put(length + JournalFormat.ENTRY_KIND_AT, kind.code())
                .put(length + JournalFormat.ENTRY_PART_AT, part)
                .putShort(length + JournalFormat.ENTRY_PART_AT + 1, (short) 0)
                .putLong(length + JournalFormat.ENTRY_LOG_ID_AT, logId)
                .putLong(length + JournalFormat.ENTRY_ARGUMENT_AT, argument);
        length += JournalFormat.ENTRY_HEADER_BYTES;
    }

    private void putPayload(ByteBuf payload, int index, int bytes) {
        block.limit(length + bytes).position(length);
        payload.getBytes(index, block);
        length += bytes;
        block.clear();
    }

    /** Bytes that it takes on the device. */
    int paddedBytes() {
        return (int) JournalFormat.roundUp(length, alignment);
    }

    /**
     * Writes the header, the padding and the checksum.
     *
     * @return the block to write; valid until the buffer is cleared
     */
    ByteBuffer seal(long generation, long sequence, long position, long released, byte flags) {
        int padded = paddedBytes();
        block.clear().position(length).limit(padded);
        block.put(zeros.clear().limit(padded - length));
        block.clear();
        block.putInt(0, JournalFormat.BLOCK_MAGIC)
                .putInt(JournalFormat.BLOCK_LENGTH_AT, length)
                .putInt(JournalFormat.BLOCK_FLAGS_AT, flags << 24)
                .putLong(JournalFormat.BLOCK_GENERATION_AT, generation)
                .putLong(JournalFormat.BLOCK_SEQUENCE_AT, sequence)
                .putLong(JournalFormat.BLOCK_POSITION_AT, position)
                .putLong(JournalFormat.BLOCK_RELEASED_AT, released)
                .putInt(JournalFormat.BLOCK_CRC_AT, JournalFormat.blockCrc(crc, block, 0, length, generation));
        return block.limit(padded);
    }

    @Override
    public long endPosition() {
        return endPosition;
    }

    @Override
    public long firstArrivalNanos() {
        return firstArrivalNanos;
    }

    @Override
    public int entryBytes() {
        return length - JournalFormat.BLOCK_HEADER_BYTES;
    }

    @Override
    public long reservedRoom() {
        return reservedRoom;
    }

    @Override
    public void release() {
        memory.release();
    }
}
