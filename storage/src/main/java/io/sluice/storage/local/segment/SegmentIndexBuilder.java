package io.sluice.storage.local.segment;

import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;

/** Makes the index of a segment from its index file and from the batches behind what that covers. */
final class SegmentIndexBuilder {
    private static final long UNKNOWN = -1;

    private final Segment segment;
    private final LogDirectory directory;
    private final int intervalBytes;

    SegmentIndexBuilder(Segment segment, LogDirectory directory, int intervalBytes) {
        this.segment = segment;
        this.directory = directory;
        this.intervalBytes = intervalBytes;
    }

    SegmentIndex build() throws IOException {
        int size = segment.sizeBytes();
        if (size == 0) {
            return new SegmentIndex(segment.baseOffset(), intervalBytes);
        }
        SegmentIndexFile.Entries saved = SegmentIndexFile.read(
                directory.fileSystem(), directory.resolve(segment.name().indexFileName()));
        StorageFile open = segment.openFiles().acquire(segment.file());
        try {
            return saved == null || !speaksOf(saved, open, size)
                    ? complete(new SegmentIndex(segment.baseOffset(), intervalBytes), open, 0, -1)
                    : complete(saved, open);
        } finally {
            segment.openFiles().release(segment.file());
        }
    }

    /** Whether the last entry's batch is where it says: an index of another file that had this name does not know it. */
    private boolean speaksOf(SegmentIndexFile.Entries saved, StorageFile open, int size) throws IOException {
        if (saved.coveredBytes > size) {
            return false;
        }
        int last = saved.count() - 1;
        BatchScanner scanner = new BatchScanner(open, last < 0 ? size : saved.positions[last], size);
        return last < 0
                || (scanner.next()
                        && scanner.batch().baseOffset() - segment.baseOffset() == saved.offsets[last]
                        && (int) scanner.batch().crc() == saved.lastBatchCrc);
    }

    private SegmentIndex complete(SegmentIndexFile.Entries saved, StorageFile open) throws IOException {
        int last = saved.count() - 1;
        SegmentIndex index = SegmentIndex.of(segment.baseOffset(), saved);
        return last < 0
                ? complete(index, open, 0, -1)
                : complete(index, open, saved.positions[last], saved.timestampsBefore[last]);
    }

    /** Adds what the batches from a position on have to add; one that is in the index already adds nothing. */
    private SegmentIndex complete(SegmentIndex index, StorageFile open, int from, long maxTimestampBefore)
            throws IOException {
        BatchScanner scanner = new BatchScanner(open, from, segment.sizeBytes());
        long maxTimestamp = maxTimestampBefore;
        long expected = from == 0 && segment.name().version() == 0 ? segment.baseOffset() : UNKNOWN;
        while (scanner.next()) {
            BatchView batch = scanner.batch();
            boolean inPlace = isInPlace(batch.baseOffset(), expected);
            if (inPlace) {
                index.onBatch(batch.baseOffset(), scanner.position(), maxTimestamp);
                expected = batch.nextOffset();
            } else if (expected != UNKNOWN) {
                expected += batch.lastOffsetDelta() + 1;
            }
            maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp());
        }
        return index;
    }

    /** A batch with a damaged offset is not entered: readers that look for it come to it from the one before. */
    private boolean isInPlace(long offset, long expected) {
        if (expected == UNKNOWN) {
            return offset >= segment.baseOffset() && offset < segment.nextOffset();
        }
        return segment.name().version() == 0 ? offset == expected : offset >= expected;
    }
}
