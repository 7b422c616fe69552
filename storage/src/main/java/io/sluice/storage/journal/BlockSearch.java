package io.sluice.storage.journal;

import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Looks for whole blocks in a file whose header is broken: without it nobody knows where they begin. For one thread. */
final class BlockSearch {
    /** Every block begins at a multiple of this, whatever the device's blocks are. */
    private static final int STEP_BYTES = 512;

    private static final int CHUNK_BYTES = 1 << 20;

    private final StorageFile file;
    private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
    private final CRC32C crc = new CRC32C();

    BlockSearch(StorageFile file) {
        this.file = file;
    }

    /** The newest generation of its whole blocks, or 0 where there is none. */
    long newestGeneration() throws IOException {
        long newest = 0;
        long size = file.size();
        for (long start = 0; start < size; start += CHUNK_BYTES) {
            file.read(chunk.clear(), start);
            chunk.flip();
            for (int at = 0; at + JournalFormat.BLOCK_HEADER_BYTES <= chunk.limit(); at += STEP_BYTES) {
                long generation = chunk.getLong(at + JournalFormat.BLOCK_GENERATION_AT);
                if (chunk.getInt(at) == JournalFormat.BLOCK_MAGIC && generation > newest && isWhole(start + at, size)) {
                    newest = generation;
                }
            }
        }
        return newest;
    }

    private boolean isWhole(long position, long size) throws IOException {
        int at = (int) (position % CHUNK_BYTES);
        int length = chunk.getInt(at + JournalFormat.BLOCK_LENGTH_AT);
        long generation = chunk.getLong(at + JournalFormat.BLOCK_GENERATION_AT);
        if (length < JournalFormat.BLOCK_HEADER_BYTES
                || length > JournalFormat.MAX_BLOCK_BYTES
                || length > size - position) {
            return false;
        }
        ByteBuffer block = ByteBuffer.allocate(length);
        file.read(block, position);
        return block.getInt(JournalFormat.BLOCK_CRC_AT)
                == JournalFormat.blockCrc(crc, block.flip(), 0, length, generation);
    }
}
