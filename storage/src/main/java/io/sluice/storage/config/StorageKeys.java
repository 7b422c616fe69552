package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import java.util.List;

/** The data directory, the journal and the cleaner. */
public final class StorageKeys {
    /** Most milliseconds that fit into nanoseconds. */
    private static final long MAX_MILLIS = Long.MAX_VALUE / 1_000_000;

    /** Of a setting that follows from the heap. */
    private static final long DERIVED = -1;

    private static final long MIN_KEY_MAP_BYTES = 1L << 20;
    private static final long MAX_KEY_MAP_BYTES = 1L << 30;
    private static final int MIN_PRODUCERS = 1_000;

    /** Milliseconds between two looks for what can be compacted. */
    public static final ConfigKey<Long> LOG_CLEANER_BACKOFF_MS = ConfigKey.ofLong(
            "log.cleaner.backoff.ms",
            15_000,
            1,
            MAX_MILLIS,
            Scope.RESTART,
            "Milliseconds between two looks for what can be compacted.");

    /** Bytes of direct memory that the keys of one cleaning may take, -1 for a twelfth of it. */
    public static final ConfigKey<Long> LOG_CLEANER_DEDUPE_BUFFER_SIZE = new ConfigKey<>(
            "log.cleaner.dedupe.buffer.size",
            ConfigKey.Type.LONG,
            "-1",
            "-1, or 1048576 to 1073741824",
            text -> parseUnlessDerived(Long.parseLong(text.trim()), MIN_KEY_MAP_BYTES, MAX_KEY_MAP_BYTES),
            Scope.RESTART,
            "Bytes of direct memory that the keys of one cleaning may take, 32 for each; -1 for a twelfth of what the"
                    + " node may use (a million keys with -XX:MaxDirectMemorySize=512m). What has more new keys is"
                    + " cleaned in several rounds, each of which writes the log anew up to where it comes.");

    /** Whether compacted topics are cleaned. */
    public static final ConfigKey<Boolean> LOG_CLEANER_ENABLE =
            ConfigKey.ofBoolean("log.cleaner.enable", true, Scope.RESTART, "Whether compacted topics are cleaned.");

    /** The data directory; one only. */
    public static final ConfigKey<String> LOG_DIRS =
            ConfigKey.ofString("log.dirs", "./data", Scope.RESTART, "The data directory; one only.");

    /** Milliseconds between searches for segments whose time has come. */
    public static final ConfigKey<Long> LOG_RETENTION_CHECK_INTERVAL_MS = ConfigKey.ofLong(
            "log.retention.check.interval.ms",
            300000,
            1,
            MAX_MILLIS,
            Scope.RESTART,
            "Milliseconds between searches for segments whose time has come.");

    /** Number of this node, kept in the data directory at its first start. */
    public static final ConfigKey<Integer> NODE_ID = ConfigKey.ofInt(
            "node.id",
            1,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Number of this node, kept in the data directory at its first start.");

    /** Milliseconds after which an idempotent producer that sends nothing is forgotten. */
    public static final ConfigKey<Integer> PRODUCER_ID_EXPIRATION_MS = ConfigKey.ofInt(
            "producer.id.expiration.ms",
            86400000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Milliseconds after which an idempotent producer that sends nothing is forgotten.");

    /** Whether to start although the journal is missing, without the records that only it held; for one start. */
    public static final ConfigKey<Boolean> JOURNAL_ACCEPT_LOSS = ConfigKey.ofBoolean(
            "sluice.journal.accept.loss",
            false,
            Scope.RESTART,
            "Whether to start although the journal is missing, without the records that only it held; for one start.");

    /** Bytes of the journal after which segments are brought to the disk in the background. */
    public static final ConfigKey<Long> JOURNAL_CHECKPOINT_BYTES = ConfigKey.ofLong(
            "sluice.journal.checkpoint.bytes",
            67108864,
            1048576,
            1L << 40,
            Scope.RESTART,
            "Bytes of the journal after which segments are brought to the disk in the background. One that takes more than an"
                    + " eighth of it is brought there at once.");

    /** Directory of the journal, perhaps on a disk of its own; unset means inside the data directory. */
    public static final ConfigKey<String> JOURNAL_DIR = ConfigKey.ofString(
            "sluice.journal.dir",
            null,
            Scope.RESTART,
            "Directory of the journal, perhaps on a disk of its own; unset means inside the data " + "directory.");

    /** Size of one journal file in bytes. */
    public static final ConfigKey<Long> JOURNAL_FILE_BYTES = ConfigKey.ofLong(
            "sluice.journal.file.bytes",
            67108864,
            1048576,
            1L << 30,
            Scope.RESTART,
            "Size of one journal file in bytes.");

    /** Bytes of the journal that a restart may have to replay; appends wait beyond it. */
    public static final ConfigKey<Long> JOURNAL_MAX_UNRELEASED_BYTES = ConfigKey.ofLong(
            "sluice.journal.max.unreleased.bytes",
            268435456,
            4194304,
            1L << 40,
            Scope.RESTART,
            "Bytes of the journal that a restart may have to replay; appends wait beyond it.");

    /** Longest time in microseconds that the oldest waiter of a group waits under load before the group is written. */
    public static final ConfigKey<Integer> JOURNAL_MAX_WAIT_MICROS = ConfigKey.ofInt(
            "sluice.journal.max.wait.micros",
            150,
            0,
            100000,
            Scope.RESTART,
            "Longest time in microseconds that the oldest waiter of a group waits under load before "
                    + "the group is written; while flushes take longer than this, up to four times as long.");

    /** Free bytes on the disk below which producers are refused, while retention and internal topics go on. */
    public static final ConfigKey<Long> LOW_SPACE_BYTES = ConfigKey.ofLong(
            "sluice.low.space.bytes",
            268435456,
            0,
            Long.MAX_VALUE,
            Scope.RESTART,
            "Free bytes on the disk below which producers are refused, while retention and internal "
                    + "topics go on.");

    /** Segment files that may be open at once. */
    public static final ConfigKey<Integer> MAX_OPEN_FILES = ConfigKey.ofInt(
            "sluice.max.open.files",
            4096,
            64,
            1 << 20,
            Scope.RESTART,
            "Segment files that may be open at once; never more than half of the descriptors that the process may have.");

    /** Idempotent producers that all partitions remember together, -1 for one for every 4 KiB of the heap. */
    public static final ConfigKey<Integer> MAX_PRODUCERS = new ConfigKey<>(
            "sluice.max.producers",
            ConfigKey.Type.INT,
            "-1",
            "-1, or 1000 or more",
            text -> (int) parseUnlessDerived(Integer.parseInt(text.trim()), MIN_PRODUCERS, Integer.MAX_VALUE),
            Scope.RESTART,
            "Idempotent producers that all partitions together remember, one counted for each partition that it sends to;"
                    + " each takes up to 256 bytes of the heap; -1 for one for every 4 KiB of the heap (131,072 where it has"
                    + " 512 MiB). Beyond, those that have been idle for longest in any partition and have no transaction"
                    + " open are forgotten, as if they had expired; those heard of within two minutes only where there are"
                    + " twice as many.");

    /** Idempotent producers that a partition remembers; beyond, the one idle for longest is forgotten. */
    public static final ConfigKey<Integer> MAX_PRODUCERS_PER_PARTITION = ConfigKey.ofInt(
            "sluice.max.producers.per.partition",
            10000,
            100,
            1_000_000,
            Scope.RESTART,
            "Idempotent producers that a partition remembers. A new one beyond takes the place of the one that has been"
                    + " idle for longest and has no transaction open, as if that had expired: it may go on, but a batch it"
                    + " sends again is no longer recognised.");

    /** All of them. */
    static final List<ConfigKey<?>> ALL = List.of(
            LOG_CLEANER_BACKOFF_MS,
            LOG_CLEANER_DEDUPE_BUFFER_SIZE,
            LOG_CLEANER_ENABLE,
            LOG_DIRS,
            LOG_RETENTION_CHECK_INTERVAL_MS,
            NODE_ID,
            PRODUCER_ID_EXPIRATION_MS,
            JOURNAL_ACCEPT_LOSS,
            JOURNAL_CHECKPOINT_BYTES,
            JOURNAL_DIR,
            JOURNAL_FILE_BYTES,
            JOURNAL_MAX_UNRELEASED_BYTES,
            JOURNAL_MAX_WAIT_MICROS,
            LOW_SPACE_BYTES,
            MAX_OPEN_FILES,
            MAX_PRODUCERS,
            MAX_PRODUCERS_PER_PARTITION);

    private StorageKeys() {}

    private static long parseUnlessDerived(long value, long min, long max) {
        if (value != DERIVED && (value < min || value > max)) {
            throw new IllegalArgumentException("out of range");
        }
        return value;
    }
}
