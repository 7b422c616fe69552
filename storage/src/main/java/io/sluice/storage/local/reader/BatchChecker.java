package io.sluice.storage.local.reader;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.segment.BatchScanner;
import io.sluice.storage.local.segment.Segment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Reads a range of a segment and checks each batch, through a small buffer of its own, so that a batch of any size costs
 * no more memory. What it has read is in the page cache afterwards. For one thread; it blocks on the disk.
 */
public final class BatchChecker {
    private static final int CRC_FROM = 21;
    private static final long NO_CRC = -1;

    private final ByteBuf scratch;
    private final BatchOrder order;
    private final CRC32C crc = new CRC32C();
    private long nextOffset;
    private long recordCount;

    /** Checks through this buffer, which stays the caller's. */
    BatchChecker(ByteBuf scratch, BatchOrder order) {
        this.scratch = scratch;
        this.order = order;
    }

    /** The offset after the last batch that was sound. */
    long nextOffset() {
        return nextOffset;
    }

    /** Records in the batches that were sound. */
    long recordCount() {
        return recordCount;
    }

    /**
     * Checks whole batches from a position on.
     *
     * @param start where a batch begins
     * @param end not beyond the segment's size
     * @param boundOffset batches from here on are left out
     * @return the end of the last batch that is sound, at most {@code end} and below the bound; {@code start} where the
     *     first one is not sound or not whole
     */
    int check(Segment segment, StorageFile file, int start, int end, long boundOffset) throws IOException {
        BatchScanner scanner = new BatchScanner(file, start, end);
        int sound = start;
        long expected = BatchOrder.UNKNOWN;
        while (scanner.next()) {
            BatchView batch = scanner.batch();
            if (batch.baseOffset() >= boundOffset || !order.isInPlace(segment, batch, expected)) {
                break;
            }
            expected = batch.nextOffset();
            if (batch.crc() != crcOf(file, scanner.position(), scanner.nextPosition())) {
                break;
            }
            sound = scanner.nextPosition();
            nextOffset = expected;
            recordCount += batch.recordCount();
        }
        if (sound > start) {
            segment.onChecked(start, sound);
        }
        return sound;
    }

    private long crcOf(StorageFile file, int start, int end) throws IOException {
        crc.reset();
        int position = start + CRC_FROM;
        while (position < end) {
            ByteBuffer target = scratch.nioBuffer(0, Math.min(scratch.capacity(), end - position));
            int count = file.read(target, position);
            if (count == 0) {
                return NO_CRC;
            }
            crc.update(target.flip());
            position += count;
        }
        return crc.getValue();
    }
}
