package io.sluice.storage.journal;

/**
 * Sizes and pace of a journal.
 *
 * @param fileBytes size of a journal file
 * @param firstFileBytes size of the file that a start makes when none is ready: small, so that a start is quick
 * @param bufferBytes appended bytes that may wait for their flush; one entry larger than this is let in when it is alone
 * @param maxUnreleasedBytes bytes on disk that a restart may have to replay; appends are refused beyond
 * @param groupBytes a group of this size starts without waiting for more
 * @param maxDelayNanos the longest that pacing lets an entry wait for more
 * @param flushCpuShare the share of one processor that pacing lets the flushing take, above 0 and up to 1
 */
public record JournalConfig(
        int fileBytes,
        int firstFileBytes,
        int bufferBytes,
        long maxUnreleasedBytes,
        int groupBytes,
        long maxDelayNanos,
        double flushCpuShare) {
    private static final int MIB = 1 << 20;

    /** Refuses what cannot work; rounds sizes of files down to 64 KiB and the bound up to two files. */
    public JournalConfig {
        fileBytes -= fileBytes % JournalFormat.FILE_BYTES_UNIT;
        firstFileBytes -= firstFileBytes % JournalFormat.FILE_BYTES_UNIT;
        maxUnreleasedBytes = Math.max(maxUnreleasedBytes, 2L * fileBytes);
        require(isFileSize(fileBytes), "fileBytes", fileBytes);
        require(isFileSize(firstFileBytes) && firstFileBytes <= fileBytes, "firstFileBytes", firstFileBytes);
        require(bufferBytes > 0, "bufferBytes", bufferBytes);
        require(groupBytes > 0, "groupBytes", groupBytes);
        require(maxDelayNanos >= 0, "maxDelayNanos", maxDelayNanos);
        require(flushCpuShare > 0 && flushCpuShare <= 1, "flushCpuShare", flushCpuShare);
    }

    /** 64 MiB files, 16 MiB waiting, 256 MiB to replay, groups of 64 KiB, up to 500 µs of pacing at a tenth of a processor. */
    public static JournalConfig defaults() {
        return new JournalConfig(64 * MIB, 4 * MIB, 16 * MIB, 256L * MIB, 64 << 10, 500_000, 0.10);
    }

    /** What coordinators may have waiting beyond {@link #bufferBytes}. */
    int coordinatorBufferBytes() {
        return bufferBytes / 4;
    }

    /** What a restart may have to replay for coordinators beyond {@link #maxUnreleasedBytes}. */
    int coordinatorReplayBytes() {
        return fileBytes / 8;
    }

    /** Room in the files that are ready which only coordinators, and what makes room, may use. */
    int coordinatorRoomBytes() {
        return firstFileBytes / 8;
    }

    /** Largest block: a small part of a file, since a block that does not fit leaves the rest of the file unused. */
    int maxBlockBytes() {
        return Math.min(JournalFormat.MAX_BLOCK_BYTES, firstFileBytes / 8);
    }

    private static boolean isFileSize(int bytes) {
        return bytes >= JournalFormat.MIN_FILE_BYTES;
    }

    private static void require(boolean holds, String name, Object value) {
        if (!holds) {
            throw new IllegalArgumentException("journal " + name + " cannot be " + value);
        }
    }
}
