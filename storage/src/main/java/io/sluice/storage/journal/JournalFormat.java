package io.sluice.storage.journal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Numbers of the on-disk format; docs/formats/journal.md has the tables. All integers are big-endian. */
final class JournalFormat {
    static final short VERSION = 1;

    static final int FILE_MAGIC = 0x534c4a46; // "SLJF"
    static final int FILE_HEADER_BYTES = 80;

    static final int BLOCK_MAGIC = 0x534c4a42; // "SLJB"
    static final int BLOCK_HEADER_BYTES = 48;
    static final int BLOCK_CRC_AT = 4;
    static final int BLOCK_LENGTH_AT = 8;
    static final int BLOCK_FLAGS_AT = 12;
    static final int BLOCK_GENERATION_AT = 16;
    static final int BLOCK_SEQUENCE_AT = 24;
    static final int BLOCK_POSITION_AT = 32;
    static final int BLOCK_RELEASED_AT = 40;
    static final byte FLAG_CLEAN_STOP = 1;

    static final int ENTRY_HEADER_BYTES = 28;
    static final int ENTRY_PAYLOAD_BYTES_AT = 4;
    static final int ENTRY_KIND_AT = 8;
    static final int ENTRY_PART_AT = 9;
    static final int ENTRY_LOG_ID_AT = 12;
    static final int ENTRY_ARGUMENT_AT = 20;
    static final byte PART_WHOLE = 0;
    static final byte PART_FIRST = 1;
    static final byte PART_MIDDLE = 2;
    static final byte PART_LAST = 3;

    /** Largest block that is written, padding included; a group is at most one block. */
    static final int MAX_BLOCK_BYTES = 256 << 10;

    /** Device blocks kept free at the end of each file for blocks without entries: releases and the clean-stop marker. */
    static final int CONTROL_RESERVE_BLOCKS = 16;

    static final int MIN_FILE_BYTES = 128 << 10;

    /** Every file is a multiple of this, and so of every device block. */
    static final int FILE_BYTES_UNIT = 64 << 10;

    private JournalFormat() {}

    /** The checksum of a block: of its generation, then of everything behind the checksum's own field. */
    static int blockCrc(CRC32C crc, ByteBuffer block, int start, int length, long generation) {
        crc.reset();
        for (int shift = 56; shift >= 0; shift -= 8) {
            crc.update((int) (generation >>> shift));
        }
        int position = block.position();
        int limit = block.limit();
        block.limit(start + length).position(start + BLOCK_LENGTH_AT);
        crc.update(block);
        block.limit(limit).position(position);
        return (int) crc.getValue();
    }

    static long roundUp(long bytes, int unit) {
        return (bytes + unit - 1) / unit * unit;
    }
}
