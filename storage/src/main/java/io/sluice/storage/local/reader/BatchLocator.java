package io.sluice.storage.local.reader;

import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.segment.BatchScanner;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Finds the batch that holds an offset: by a hint, else by the index and a walk over headers. For one thread. */
final class BatchLocator {
    static final int NOT_FOUND = -1;

    private static final ThreadLocal<ByteBuffer> HEADER =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(Long.BYTES));

    /** Readers of old offsets have no hint: their walks would allocate a window each. */
    private static final ThreadLocal<BatchScanner> SCANNER = ThreadLocal.withInitial(BatchScanner::new);

    private final ReadPlan plan;
    private final BatchOrder order;
    private long locatedOffset;

    BatchLocator(ReadPlan plan, BatchOrder order) {
        this.plan = plan;
        this.order = order;
    }

    /**
     * Position of the batch that holds an offset or, in a gap, of the first one behind it.
     *
     * @return the position, or {@link #NOT_FOUND} where the segment ends before
     * @throws DamagedBatchException if the way there leads over a damaged batch
     */
    int locate(Segment segment, int size, long offset) throws IOException {
        StorageFile file = segment.openFiles().acquire(segment.file());
        try {
            int hint = plan.hints().find(segment.name(), offset);
            if (hint >= 0 && hint < size && isAt(file, hint, size, offset)) {
                locatedOffset = offset;
                return hint;
            }
            return walk(segment, file, size, offset);
        } finally {
            segment.openFiles().release(segment.file());
        }
    }

    private static boolean isAt(StorageFile file, int position, int size, long offset) throws IOException {
        if (size - position < BatchView.HEADER_BYTES) {
            return false;
        }
        ByteBuffer header = HEADER.get().clear();
        return file.read(header, position) == header.capacity() && header.getLong(0) == offset;
    }

    private int walk(Segment segment, StorageFile file, int size, long offset) throws IOException {
        SegmentIndex index = plan.background() ? segment.loadIndex(plan.indexIntervalBytes()) : segment.index();
        int from = index == null ? 0 : index.positionFor(offset);
        BatchScanner scanner = SCANNER.get();
        scanner.reset(file, from, size);
        try {
            return walk(segment, scanner, expectedAt(segment, index, from), offset);
        } finally {
            scanner.clear();
        }
    }

    private int walk(Segment segment, BatchScanner scanner, long expectedOffset, long offset) throws IOException {
        long expected = expectedOffset;
        while (scanner.next()) {
            BatchView batch = scanner.batch();
            if (!order.isInPlace(segment, batch, expected)) {
                throw new DamagedBatchException(segment, scanner.position(), offset);
            }
            expected = batch.nextOffset();
            if (expected > offset) {
                locatedOffset = batch.baseOffset();
                return scanner.position();
            }
        }
        if (scanner.isDamaged()) {
            throw new DamagedBatchException(segment, scanner.position(), offset);
        }
        return NOT_FOUND;
    }

    private static long expectedAt(Segment segment, @Nullable SegmentIndex index, int position) {
        if (position == 0) {
            return segment.name().version() == 0 ? segment.baseOffset() : BatchOrder.UNKNOWN;
        }
        return index == null ? BatchOrder.UNKNOWN : index.offsetAt(position);
    }

    /**
     * End of the last whole batch in a range that is known to be sound, and the offset after it. The range begins at the
     * batch that was located last.
     *
     * <p>The index spares the walk over what lies before the last entry, and offsets tell how many records are there; only
     * a rewritten segment has gaps, so that its records must be counted.
     */
    Boundary lastBoundary(Segment segment, StorageFile file, int position, int limit) throws IOException {
        SegmentIndex index = segment.index();
        int from = position;
        if (index != null
                && segment.nextOffset() <= plan.boundOffset()
                && segment.name().version() == 0) {
            from = Math.max(position, index.lastEntryAtOrBefore(limit - 1));
        }
        BatchScanner scanner = SCANNER.get();
        scanner.reset(file, from, segment.sizeBytes());
        try {
            return lastBoundary(scanner, position, from, limit);
        } finally {
            scanner.clear();
        }
    }

    private Boundary lastBoundary(BatchScanner scanner, int position, int from, int limit) throws IOException {
        Boundary boundary = new Boundary(position, plan.offset(), 0);
        long records = 0;
        while (scanner.next()) {
            BatchView batch = scanner.batch();
            if (scanner.position() == from && from != position) {
                records = batch.baseOffset() - locatedOffset;
            }
            if (batch.baseOffset() >= plan.boundOffset() || scanner.nextPosition() > limit) {
                return new Boundary(scanner.position(), batch.baseOffset(), records);
            }
            records += batch.recordCount();
            boundary = new Boundary(scanner.nextPosition(), batch.nextOffset(), records);
        }
        return boundary;
    }

    /**
     * An end of a batch.
     *
     * @param nextOffset the offset after it
     * @param recordCount records from the beginning of the range to here
     */
    record Boundary(int position, long nextOffset, long recordCount) {}
}
