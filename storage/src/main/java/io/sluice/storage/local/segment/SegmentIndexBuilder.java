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
        if (saved == null || saved.coveredBytes > size) {
            return complete(new SegmentIndex(segment.baseOffset(), intervalBytes), 0, -1, size);
        }
        SegmentIndex index = SegmentIndex.of(segment.baseOffset(), saved);
        return complete(index, saved.coveredBytes, saved.maxTimestamp, size);
    }

    private SegmentIndex complete(SegmentIndex index, int from, long maxTimestampBefore, int size) throws IOException {
        if (from == size) {
            return index;
        }
        StorageFile open = segment.openFiles().acquire(segment.file());
        try {
            BatchScanner scanner = new BatchScanner(open, from, size);
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
        } finally {
            segment.openFiles().release(segment.file());
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
