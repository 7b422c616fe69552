package io.sluice.storage.local.segment;

import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What a segment lacks of what had been made durable in it, because its file was removed or made shorter: everything from
 * a place in it to its end.
 *
 * @param position where in the file it begins
 * @param firstOffset first offset that is lost
 * @param fileMissing whether there is no file at all
 */
public record SegmentLoss(int position, long firstOffset, boolean fileMissing) {
    /** Compares a segment with its file; returns null where nothing is missing. */
    static @Nullable SegmentLoss find(Segment segment, LogDirectory directory) throws IOException {
        long there = directory.fileSystem().sizeOf(segment.file().path());
        if (there >= segment.sizeBytes()) {
            return null;
        }
        return there < 0
                ? new SegmentLoss(0, segment.baseOffset(), true)
                : behindWholeBatches(segment, directory, (int) there);
    }

    private static SegmentLoss behindWholeBatches(Segment segment, LogDirectory directory, int fileBytes)
            throws IOException {
        try (StorageFile file = directory.fileSystem().open(segment.file().path(), FileSystem.Access.READ)) {
            BatchScanner scanner = new BatchScanner(file, 0, fileBytes);
            long next = segment.baseOffset() + seekIndexed(segment, directory, scanner, file, fileBytes);
            while (scanner.next()) {
                next = scanner.batch().nextOffset();
            }
            return new SegmentLoss(scanner.position(), next, false);
        }
    }

    /**
     * Goes to the last batch of which the index says that it begins in this part of the file, so that not all of it is read.
     *
     * @return its offset, from the segment's on
     */
    private static long seekIndexed(
            Segment segment, LogDirectory directory, BatchScanner scanner, StorageFile file, int fileBytes)
            throws IOException {
        SegmentIndexFile.Entries saved = SegmentIndexFile.read(
                directory.fileSystem(), directory.resolve(segment.name().indexFileName()));
        if (saved == null) {
            return 0;
        }
        int at = saved.count() - 1;
        while (at >= 0 && saved.positions[at] > fileBytes - BatchView.HEADER_BYTES) {
            at--;
        }
        if (at < 0) {
            return 0;
        }
        scanner.reset(file, saved.positions[at], segment.sizeBytes());
        boolean known = scanner.next() && scanner.batch().baseOffset() - segment.baseOffset() == saved.offsets[at];
        scanner.reset(file, known ? saved.positions[at] : 0, fileBytes);
        return known ? saved.offsets[at] : 0;
    }
}
