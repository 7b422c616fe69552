package io.sluice.storage.journal;

import io.sluice.storage.file.StorageFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Reads the blocks of one journal file, one after the other, as long as they are whole and in sequence. For one thread. */
final class BlockReader implements Closeable {
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int MAX_LENGTH = 16 << 20;

    private final StorageFile file;
    private final FileHeader header;
    private final CRC32C crc = new CRC32C();
    private ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0);
    private long windowAt;
    private long at;
    private long nextSequence;
    private int block;
    private int length;

    /**
     * Begins before the first block.
     *
     * @param file owned
     */
    BlockReader(StorageFile file, FileHeader header) {
        this.file = file;
        this.header = header;
        this.at = header.alignment();
        this.nextSequence = header.firstSequence();
    }

    /** Goes to the next block; false where it is missing, torn, stale or out of sequence. */
    boolean next() throws IOException {
        if (!isBlock(at) || sequence() != nextSequence) {
            return false;
        }
        at += JournalFormat.roundUp(length, header.alignment());
        nextSequence++;
        return true;
    }

    /**
     * After {@link #next} has said no: whether blocks written later are behind the hole. One block is written at a time,
     * so the missing one had been written then, and was lost since.
     */
    boolean hasLaterBlocks() throws IOException {
        long end = Math.min(header.capacity(), at + JournalFormat.MAX_BLOCK_BYTES + header.alignment());
        for (long later = at; later < end; later += header.alignment()) {
            if (isBlock(later) && sequence() >= nextSequence) {
                return true;
            }
        }
        return false;
    }

    /**
     * After {@link #next} has said no: whether the head of the next block is there and says so, but not all of the block as
     * it was to be written. What of an older block lies there is none.
     */
    boolean hasBrokenBlock() throws IOException {
        return isHead(at) && sequence() == nextSequence && !isWhole(at);
    }

    /** Where the next block is, or would be. */
    long position() {
        return at;
    }

    /** The number that the next block must have. */
    long nextSequence() {
        return nextSequence;
    }

    /** Length of the current block without padding. */
    int length() {
        return length;
    }

    long sequence() {
        return window.getLong(block + JournalFormat.BLOCK_SEQUENCE_AT);
    }

    /** The position after the last entry that ended before the current block. */
    long entriesBefore() {
        return window.getLong(block + JournalFormat.BLOCK_POSITION_AT);
    }

    long releasedPosition() {
        return window.getLong(block + JournalFormat.BLOCK_RELEASED_AT);
    }

    boolean isCleanStop() {
        return (window.get(block + JournalFormat.BLOCK_FLAGS_AT) & JournalFormat.FLAG_CLEAN_STOP) != 0;
    }

    /** The entries of the current block; valid until the next call of {@link #next}. */
    ByteBuffer entries() {
        return window.slice(block + JournalFormat.BLOCK_HEADER_BYTES, length - JournalFormat.BLOCK_HEADER_BYTES);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private boolean isBlock(long position) throws IOException {
        return isHead(position) && isWhole(position);
    }

    private boolean isHead(long position) throws IOException {
        return position + header.alignment() <= header.capacity()
                && fill(position, JournalFormat.BLOCK_HEADER_BYTES)
                && window.getInt(block) == JournalFormat.BLOCK_MAGIC
                && window.getLong(block + JournalFormat.BLOCK_GENERATION_AT) == header.generation();
    }

    /** Whether the block that has its head here is as it was written. */
    private boolean isWhole(long position) throws IOException {
        length = window.getInt(block + JournalFormat.BLOCK_LENGTH_AT);
        if (length < JournalFormat.BLOCK_HEADER_BYTES
                || length > Math.min(MAX_LENGTH, header.capacity() - position)
                || !fill(position, length)) {
            return false;
        }
        return window.getInt(block + JournalFormat.BLOCK_CRC_AT)
                == JournalFormat.blockCrc(crc, window, block, length, header.generation());
    }

    /** Has these bytes of the file in the window, from index {@code block} on. */
    private boolean fill(long position, int bytes) throws IOException {
        if (position < windowAt || position + bytes > windowAt + window.limit()) {
            if (window.capacity() < bytes) {
                window = ByteBuffer.allocate(bytes);
            }
            window.clear();
            file.read(window, position);
            window.flip();
            windowAt = position;
        }
        block = (int) (position - windowAt);
        return block + bytes <= window.limit();
    }
}
