package io.sluice.storage.local.segment;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A {@link SegmentIndex} in a file, written when a segment is full and now and then before. It is a cache: it is never
 * forced, and one that is missing, damaged or older than the segment is made again, or completed, from the segment. What
 * is not forced may also come back with the power: an index of an earlier file of the same name is known by the batch
 * that its last entry speaks of. Layout: docs/formats/segment.md.
 */
final class SegmentIndexFile {
    static final int MAGIC = 0x534c4958;
    static final short VERSION = 2;
    private static final int HEADER_BYTES = 30;
    private static final int ENTRY_BYTES = 16;

    private SegmentIndexFile() {}

    /** The arrays of an index. */
    static final class Entries {
        int intervalBytes;
        int[] offsets = new int[0];
        int[] positions = new int[0];
        long[] timestampsBefore = new long[0];
        /** Bytes of the segment that the entries speak of. */
        int coveredBytes;
        /** Largest timestamp in those bytes. */
        long maxTimestamp;
        /** CRC in the header of the batch that the last entry speaks of; 0 where there is none. */
        int lastBatchCrc;

        int count() {
            return offsets.length;
        }
    }

    static void write(FileSystem fileSystem, Path path, Entries entries) throws IOException {
        ByteBuffer bytes = encode(entries);
        fileSystem.delete(path);
        try (StorageFile file = fileSystem.create(path)) {
            file.write(bytes, 0);
        }
    }

    private static ByteBuffer encode(Entries entries) {
        int count = entries.offsets.length;
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + count * ENTRY_BYTES + Integer.BYTES);
        bytes.putInt(MAGIC)
                .putShort(VERSION)
                .putInt(entries.coveredBytes)
                .putLong(entries.maxTimestamp)
                .putInt(entries.intervalBytes)
                .putInt(count)
                .putInt(entries.lastBatchCrc);
        for (int i = 0; i < count; i++) {
            bytes.putInt(entries.offsets[i]).putInt(entries.positions[i]).putLong(entries.timestampsBefore[i]);
        }
        bytes.putInt(crc(bytes.array(), bytes.position()));
        return bytes.flip();
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    /** Reads an index, or returns null where there is none that can be used. */
    static @Nullable Entries read(FileSystem fileSystem, Path path) throws IOException {
        if (!fileSystem.exists(path)) {
            return null;
        }
        try (StorageFile file = fileSystem.open(path, FileSystem.Access.READ)) {
            long size = file.size();
            if (size < HEADER_BYTES + Integer.BYTES
                    || size > HEADER_BYTES + (long) SegmentIndex.MAX_ENTRIES * ENTRY_BYTES + Integer.BYTES) {
                return null;
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size);
            file.read(bytes, 0);
            return bytes.hasRemaining() ? null : decode(bytes.array());
        }
    }

    private static @Nullable Entries decode(byte[] array) {
        ByteBuffer bytes = ByteBuffer.wrap(array);
        int end = array.length - Integer.BYTES;
        if (bytes.getInt(end) != crc(array, end) || bytes.getInt() != MAGIC || bytes.getShort() != VERSION) {
            return null;
        }
        Entries entries = new Entries();
        entries.coveredBytes = bytes.getInt();
        entries.maxTimestamp = bytes.getLong();
        entries.intervalBytes = bytes.getInt();
        int count = bytes.getInt();
        entries.lastBatchCrc = bytes.getInt();
        if (count < 0 || end != HEADER_BYTES + count * ENTRY_BYTES) {
            return null;
        }
        entries.offsets = new int[count];
        entries.positions = new int[count];
        entries.timestampsBefore = new long[count];
        for (int i = 0; i < count; i++) {
            entries.offsets[i] = bytes.getInt();
            entries.positions[i] = bytes.getInt();
            entries.timestampsBefore[i] = bytes.getLong();
        }
        return entries;
    }
}
