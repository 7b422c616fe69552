package io.sluice.storage.journal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of a journal file. A file is put to use by writing a new header with a new generation over the old one;
 * the blocks of earlier uses behind it become invalid by that.
 *
 * @param alignment bytes of a device block when the file was put to use
 * @param capacity bytes of the file
 * @param generation 0 in a spare file that was never used, else larger than that of any file put to use before
 * @param previousGeneration of the file whose blocks come before; 0 for none
 * @param firstSequence sequence number of the first block
 * @param position after the last entry that ended in earlier files
 * @param continuedEntryEnd position after the entry that began in earlier files and goes on here; 0 for none
 * @param releasedPosition nothing before it was needed when the file was put to use
 * @param owner number of the data directory that the journal belongs to; 0 where it is not known
 */
record FileHeader(
        int alignment,
        long capacity,
        long generation,
        long previousGeneration,
        long firstSequence,
        long position,
        long continuedEntryEnd,
        long releasedPosition,
        long owner) {
    private static final int CRC_AT = 8;
    private static final int BODY_AT = 12;

    /** The header of a prepared file. */
    static FileHeader spare(int alignment, long capacity) {
        return new FileHeader(alignment, capacity, 0, 0, 0, 0, 0, 0, 0);
    }

    boolean isSpare() {
        return generation == 0;
    }

    /** The position after the last entry that began before this file. */
    long endOfEarlierEntries() {
        return Math.max(position, continuedEntryEnd);
    }

    /** Writes the header at index 0. */
    void writeTo(ByteBuffer target) {
        target.putInt(0, JournalFormat.FILE_MAGIC)
                .putShort(4, JournalFormat.VERSION)
                .putShort(6, (short) 0)
                .putInt(12, alignment)
                .putLong(16, capacity)
                .putLong(24, generation)
                .putLong(32, previousGeneration)
                .putLong(40, firstSequence)
                .putLong(48, position)
                .putLong(56, continuedEntryEnd)
                .putLong(64, releasedPosition)
                .putLong(72, owner)
                .putInt(CRC_AT, crcOf(target));
    }

    /**
     * Reads a header at index 0. Of any format the first 80 bytes have the same checksum in the same place, so that damage is
     * not taken for a newer one.
     *
     * @return null where there is none that is whole
     * @throws JournalVersionException for a header of a newer format
     */
    static @Nullable FileHeader readFrom(ByteBuffer source) throws JournalVersionException {
        if (source.limit() < JournalFormat.FILE_HEADER_BYTES || source.getInt(0) != JournalFormat.FILE_MAGIC) {
            return null;
        }
        if (source.getInt(CRC_AT) != crcOf(source)) {
            return null;
        }
        short version = source.getShort(4);
        if (version != JournalFormat.VERSION) {
            throw new JournalVersionException(version);
        }
        return new FileHeader(
                source.getInt(12),
                source.getLong(16),
                source.getLong(24),
                source.getLong(32),
                source.getLong(40),
                source.getLong(48),
                source.getLong(56),
                source.getLong(64),
                source.getLong(72));
    }

    private static int crcOf(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().limit(CRC_AT).position(0));
        crc.update(header.duplicate().limit(JournalFormat.FILE_HEADER_BYTES).position(BODY_AT));
        return (int) crc.getValue();
    }
}
