package io.sluice.storage.local;

/**
 * Limits of the local engine.
 *
 * @param maxOpenFiles segments open at a time
 * @param checkpointBytes appended bytes after which a checkpoint begins
 * @param smallTailBytes a segment with at most so much that is not forced is not forced by a checkpoint: its tail is copied
 *     forward in the journal
 * @param catchUpBytes memory that reads behind the tail may hold together
 * @param lowSpaceBytes below so much free space producers are refused
 * @param retentionCheckMillis time between two looks for what retention deletes and the cleaner has to do
 * @param producerExpirationMillis how long an idle idempotent producer is remembered
 * @param cleanerBytes memory for the cleaner's map of keys
 */
public record LocalStorageConfig(
        int maxOpenFiles,
        long checkpointBytes,
        int smallTailBytes,
        long catchUpBytes,
        long lowSpaceBytes,
        long retentionCheckMillis,
        long producerExpirationMillis,
        int cleanerBytes) {
    private static final int MIB = 1 << 20;
    private static final int MIN_OPEN_FILES = 8;
    private static final int MIN_CLEANER_BYTES = 64 << 10;

    /** Refuses what cannot work. */
    public LocalStorageConfig {
        require(maxOpenFiles >= MIN_OPEN_FILES, "maxOpenFiles", maxOpenFiles);
        require(checkpointBytes >= 1, "checkpointBytes", checkpointBytes);
        require(smallTailBytes >= 0, "smallTailBytes", smallTailBytes);
        require(catchUpBytes >= MIB, "catchUpBytes", catchUpBytes);
        require(lowSpaceBytes >= 0, "lowSpaceBytes", lowSpaceBytes);
        require(retentionCheckMillis >= 1, "retentionCheckMillis", retentionCheckMillis);
        require(producerExpirationMillis >= 1, "producerExpirationMillis", producerExpirationMillis);
        require(cleanerBytes >= MIN_CLEANER_BYTES, "cleanerBytes", cleanerBytes);
    }

    private static void require(boolean holds, String name, long value) {
        if (!holds) {
            throw new IllegalArgumentException("local storage " + name + " cannot be " + value);
        }
    }

    /**
     * 1,024 open files, a checkpoint every 64 MiB that leaves tails of 64 KiB, 64 MiB for catch-up reads, producers refused below 256 MiB of free
     * space, retention every 5 minutes, producers remembered for a day, 16 MiB for the cleaner.
     */
    public static LocalStorageConfig defaults() {
        return new LocalStorageConfig(1024, 64L * MIB, 64 << 10, 64L * MIB, 256L * MIB, 300_000, 86_400_000, 16 * MIB);
    }
}
