package io.sluice.storage.local.aborted;

import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The bytes of a chunk; docs/formats/aborted.md has the layout. */
final class ChunkFile {
    static final int HEADER_BYTES = 16;
    static final int CRC_AT = 12;

    private static final int MAGIC = 0x534c4142;
    private static final int VERSION = 1;
    private static final int DIGITS = 20;
    private static final String SUFFIX = ".aborted";
    private static final Pattern NAME = Pattern.compile("(\\d{" + DIGITS + "})\\.aborted");

    private ChunkFile() {}

    static String name(long firstMarker) {
        String digits = Long.toString(firstMarker);
        return "0".repeat(DIGITS - digits.length()) + digits + SUFFIX;
    }

    /** Reads a file name: offset of the first marker, or -1 where it is none of a chunk. */
    static long firstMarkerOf(String fileName) {
        Matcher matcher = NAME.matcher(fileName);
        try {
            return matcher.matches() ? Long.parseLong(matcher.group(1)) : -1;
        } catch (NumberFormatException e) { // more than an offset can be
            return -1;
        }
    }

    static int sizeInBytes(int count) {
        return HEADER_BYTES + count * AbortedBlock.ENTRY_BYTES;
    }

    static ByteBuffer encode(AbortedBlock block) {
        ByteBuffer bytes = ByteBuffer.allocate(sizeInBytes(block.count()));
        bytes.putInt(MAGIC).putInt(VERSION).putInt(block.count()).putInt(0);
        block.writeTo(bytes, 0);
        bytes.flip();
        return bytes.putInt(CRC_AT, crcOf(bytes));
    }

    private static int crcOf(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().position(0).limit(CRC_AT));
        crc.update(bytes.duplicate().position(HEADER_BYTES));
        return (int) crc.getValue();
    }

    /** What is wrong with a whole file's bytes, or null. */
    static @Nullable String damage(ByteBuffer bytes, AbortedChunk chunk) {
        if (bytes.getInt(0) == MAGIC && bytes.getInt(4) > VERSION) {
            return "has format " + bytes.getInt(4) + ", this version reads up to " + VERSION;
        }
        boolean sound = bytes.getInt(0) == MAGIC
                && bytes.getInt(4) == VERSION
                && bytes.getInt(8) == chunk.count()
                && bytes.getInt(CRC_AT) == chunk.crc()
                && crcOf(bytes) == chunk.crc();
        return sound ? null : "is damaged";
    }

    /** The entries of a file that is sound. */
    static AbortedBlock decode(ByteBuffer bytes) {
        return AbortedBlock.readFrom(bytes.position(HEADER_BYTES));
    }
}
