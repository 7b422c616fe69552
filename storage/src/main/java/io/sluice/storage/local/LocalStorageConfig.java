package io.sluice.storage.local;

import io.sluice.storage.local.aborted.ChunkCache;
import io.sluice.storage.local.producer.ProducerLimit;

/**
 * Limits of the local engine.
 *
 * @param maxOpenFiles segments open at a time
 * @param checkpointBytes appended bytes after which a checkpoint begins
 * @param checkpointSliceBytes records of logs that a checkpoint takes into memory before it writes them to the catalogue; those of
 *     one log are not divided
 * @param smallTailBytes a segment with at most so much that is not forced is not forced by a checkpoint: its tail is copied
 *     forward in the journal
 * @param catchUpBytes memory that reads behind the tail may hold together
 * @param lowSpaceBytes below so much free space producers are refused
 * @param retentionCheckMillis time between two looks for what retention deletes and the cleaner has to do
 * @param producers which idempotent producers are remembered
 * @param cleaner what compaction may use
 * @param acceptJournalLoss whether to start where the journal is missing, without what only it held
 */
public record LocalStorageConfig(
        int maxOpenFiles,
        long checkpointBytes,
        int checkpointSliceBytes,
        int smallTailBytes,
        long catchUpBytes,
        long lowSpaceBytes,
        long retentionCheckMillis,
        ProducerConfig producers,
        CleanerConfig cleaner,
        boolean acceptJournalLoss) {
    private static final int MIB = 1 << 20;
    private static final int MIN_OPEN_FILES = 8;
    private static final int EARLY_FORCES = 8;

    /** Refuses what cannot work. */
    public LocalStorageConfig {
        require(maxOpenFiles >= MIN_OPEN_FILES, "maxOpenFiles", maxOpenFiles);
        require(checkpointBytes >= 1, "checkpointBytes", checkpointBytes);
        require(checkpointSliceBytes >= 1, "checkpointSliceBytes", checkpointSliceBytes);
        require(smallTailBytes >= 0, "smallTailBytes", smallTailBytes);
        require(catchUpBytes >= MIB, "catchUpBytes", catchUpBytes);
        require(lowSpaceBytes >= 0, "lowSpaceBytes", lowSpaceBytes);
        require(retentionCheckMillis >= 1, "retentionCheckMillis", retentionCheckMillis);
    }

    /** A segment with more that is not forced is forced before the next checkpoint: an eighth of what comes between two. */
    long earlyForceBytes() {
        return Math.max(smallTailBytes, checkpointBytes / EARLY_FORCES);
    }

    private static void require(boolean holds, String name, long value) {
        if (!holds) {
            throw new IllegalArgumentException("local storage " + name + " cannot be " + value);
        }
    }

    /**
     * 1,024 open files, a checkpoint every 64 MiB that holds records of 1 MiB and leaves tails of 64 KiB, 64 MiB for catch-up reads, producers refused below 256 MiB of free
     * space, retention every 5 minutes, the defaults of producers and the cleaner.
     */
    public static LocalStorageConfig defaults() {
        return new LocalStorageConfig(
                1024,
                64L * MIB,
                MIB,
                64 << 10,
                64L * MIB,
                256L * MIB,
                300_000,
                ProducerConfig.defaults(),
                CleanerConfig.defaults(),
                false);
    }

    /**
     * Which idempotent producers are remembered.
     *
     * @param expirationMillis how long an idle one is
     * @param maxPerLog how many a log remembers
     * @param maxOfNode how many all logs together remember; one counts once for each log that it has sent to
     * @param abortedInBlock aborted transactions that a log keeps in one piece: the newest pieces in memory, others in files
     */
    public record ProducerConfig(long expirationMillis, int maxPerLog, int maxOfNode, int abortedInBlock) {
        /** Refuses what cannot work. */
        public ProducerConfig {
            require(expirationMillis >= 1, "expirationMillis", expirationMillis);
            require(maxPerLog >= 1, "maxPerLog", maxPerLog);
            require(maxOfNode >= 1, "maxOfNode", maxOfNode);
            require(abortedInBlock >= 1, "abortedInBlock", abortedInBlock);
        }

        /** With 4,096 aborted transactions in a piece. */
        public ProducerConfig(long expirationMillis, int maxPerLog, int maxOfNode) {
            this(expirationMillis, maxPerLog, maxOfNode, ChunkCache.BLOCK_ENTRIES);
        }

        /** For a day; 10,000 of a log, 131,072 of all. */
        public static ProducerConfig defaults() {
            return new ProducerConfig(86_400_000, ProducerLimit.DEFAULT_OF_LOG, ProducerLimit.DEFAULT_OF_NODE);
        }

        ProducerLimit limit() {
            return new ProducerLimit(maxPerLog, maxOfNode);
        }
    }

    /**
     * What compaction may use.
     *
     * @param enabled whether compacted logs are cleaned at all
     * @param keyMapBytes memory that the keys of one cleaning may take: 24 bytes for each slot, of which three quarters are used
     * @param backoffMillis time between two looks for what has to be cleaned
     */
    public record CleanerConfig(boolean enabled, int keyMapBytes, long backoffMillis) {
        private static final int MIN_KEY_MAP_BYTES = 48;

        /** Refuses what cannot work. */
        public CleanerConfig {
            require(keyMapBytes >= MIN_KEY_MAP_BYTES, "keyMapBytes", keyMapBytes);
            require(backoffMillis >= 1, "backoffMillis", backoffMillis);
        }

        /** On, 16 MiB for keys, a look every 15 seconds. */
        public static CleanerConfig defaults() {
            return new CleanerConfig(true, 16 * MIB, 15_000);
        }
    }
}
