package io.sluice.storage.metadata;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** The first bytes of both files: magic, format, the number of the change the file starts behind, CRC. */
final class MetadataFileHeader {
    /** A log of changes. */
    static final int LOG_MAGIC = 0x534C4D4C; // "SLML"

    /** A snapshot. */
    static final int SNAPSHOT_MAGIC = 0x534C4D53; // "SLMS"

    /** The format this version writes, and the newest it reads. */
    static final int FORMAT = 1;

    static final int BYTES = 32;

    private static final int CRC_POSITION = 28;

    private MetadataFileHeader() {}

    static ByteBuffer encode(int magic, long change) {
        ByteBuffer header = ByteBuffer.allocate(BYTES);
        header.putInt(magic).putInt(FORMAT).putLong(change);
        header.putInt(CRC_POSITION, crc(header.array()));
        return header.clear();
    }

    /**
     * Checks a header.
     *
     * @param bytes the file's first bytes, perhaps fewer than a header has
     * @throws UserException when it is damaged or of a newer format
     */
    static void require(Path file, ByteBuffer bytes, int magic, long change) {
        boolean whole = bytes.remaining() >= BYTES && bytes.getInt(0) == magic;
        if (whole && bytes.getInt(4) > FORMAT) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    file + " has metadata format " + bytes.getInt(4) + "; this version reads up to " + FORMAT
                            + ". Start the version of Sluice that wrote it, or a newer one.");
        }
        byte[] header = new byte[BYTES];
        bytes.duplicate().get(header, 0, Math.min(BYTES, bytes.remaining()));
        if (!whole || bytes.getLong(8) != change || bytes.getInt(CRC_POSITION) != crc(header)) {
            throw damaged(file, 0);
        }
    }

    /** The refusal of a file that cannot be trusted. */
    static UserException damaged(Path file, long position) {
        return new UserException(
                ExitCode.BAD_DATA,
                file + " is damaged at byte " + position + ", in a part that had been flushed to the disk: the disk or"
                        + " another program changed it. Restore the data directory from a copy.");
    }

    private static int crc(byte[] header) {
        CRC32C crc = new CRC32C();
        crc.update(header, 0, CRC_POSITION);
        return (int) crc.getValue();
    }
}
