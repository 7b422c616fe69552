package io.sluice.server.config;

import io.netty.util.internal.PlatformDependent;
import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigValues;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.server.process.ProcessStatus;
import io.sluice.storage.config.ListenerKeys;
import io.sluice.storage.config.StorageKeys;

/**
 * What this process has to give. A budget beyond it would be none: the node would run out of memory first.
 *
 * @param heapBytes of Java's heap
 * @param directBytes that the node's allocator gives out
 * @param descriptors that may be open, or -1 where that is not known
 */
public record MachineLimits(long heapBytes, long directBytes, long descriptors) {
    /** Part of the direct memory that stays available where the rest is taken. */
    public static final long RESERVE_BYTES = 8 << 20;

    private static final int REQUEST_HEAP_PARTS = 2;
    private static final int HEAP_PARTS = 4;
    private static final int DERIVED_HEAP_PARTS = 16;
    private static final int KEY_MAP_PARTS = 4;
    private static final int DERIVED_KEY_MAP_PARTS = 12;
    private static final int PRODUCER_BYTES = 256;
    private static final int MIN_PRODUCERS = 1_000;
    private static final int MIN_OPEN_FILES = 64;
    private static final int MIN_CONNECTIONS = 32;
    /** For libraries (some 90), the journal, metadata, the admin port (64) and what is opened for a moment. */
    private static final int OTHER_DESCRIPTORS = 192;

    private static final int GOOD_DESCRIPTORS = 65_536;
    private static final long MIN_KEY_MAP_BYTES = 1L << 20;
    private static final long MAX_KEY_MAP_BYTES = 1L << 30;

    /** Those of the running JVM. */
    public static MachineLimits ofThisProcess() {
        return new MachineLimits(
                Runtime.getRuntime().maxMemory(),
                directBytes(PlatformDependent.estimateMaxDirectMemory()),
                ProcessStatus.descriptorLimit());
    }

    /** The pool beneath keeps chunks and rounds up: a quarter of the machine's direct memory is left for that. */
    private static long directBytes(long maxDirectBytes) {
        return Math.max(maxDirectBytes / 4 * 3 - RESERVE_BYTES, RESERVE_BYTES);
    }

    /**
     * Refuses budgets that this process cannot have.
     *
     * @throws ConfigException for the first of them
     */
    public void require(ConfigValues values) {
        String direct =
                "the direct memory that a node here may use (-XX:MaxDirectMemorySize in SLUICE_JAVA_OPTS raises it)";
        atMost(directBytes, direct, values, ListenerKeys.QUEUED_MAX_REQUEST_BYTES);
        atMost(directBytes, direct, values, ListenerKeys.RESPONSE_MEMORY_BYTES);
        atMost(directBytes, direct, values, ListenerKeys.CONNECTION_MAX_PENDING_BYTES);
        String raises = " of the heap (-Xmx in SLUICE_JAVA_OPTS raises it)";
        atMost(heapBytes / REQUEST_HEAP_PARTS, "half" + raises, values, ListenerKeys.REQUEST_HEAP_BYTES);
        atMost(
                directBytes / KEY_MAP_PARTS,
                "a quarter of " + direct,
                values,
                StorageKeys.LOG_CLEANER_DEDUPE_BUFFER_SIZE);
        atMost(
                heapBytes / HEAP_PARTS / PRODUCER_BYTES,
                "as many as a quarter" + raises + " has room for at " + PRODUCER_BYTES + " bytes each",
                values,
                StorageKeys.MAX_PRODUCERS);
    }

    /** Memory for the keys of one cleaning: as set, or from direct memory. */
    public int keyMapBytes(ConfigValues values) {
        long set = values.get(StorageKeys.LOG_CLEANER_DEDUPE_BUFFER_SIZE);
        long bytes = set >= 0 ? set : directBytes / DERIVED_KEY_MAP_PARTS;
        return (int) Math.max(MIN_KEY_MAP_BYTES, Math.min(MAX_KEY_MAP_BYTES, bytes));
    }

    /** Idempotent producers that are remembered: as set, or from the heap. */
    public int maxProducers(ConfigValues values) {
        int set = values.get(StorageKeys.MAX_PRODUCERS);
        long derived = heapBytes / DERIVED_HEAP_PARTS / PRODUCER_BYTES;
        return set >= 0 ? set : (int) Math.max(MIN_PRODUCERS, Math.min(Integer.MAX_VALUE, derived));
    }

    /**
     * Refuses to begin with fewer descriptors than a node can do with: it would say that it is ready, and take nobody's
     * connection.
     *
     * @throws UserException naming the limit, what is needed and how to raise it
     */
    public void requireDescriptors() {
        int needed = OTHER_DESCRIPTORS + MIN_OPEN_FILES + MIN_CONNECTIONS;
        if (descriptors >= 0 && descriptors < needed) {
            throw new UserException(
                    ExitCode.CANNOT_CREATE,
                    "This process may have only " + descriptors + " files and connections open; a node needs " + needed
                            + " at the least, and " + GOOD_DESCRIPTORS + " is good. Raise the hard limit: ulimit -Hn,"
                            + " LimitNOFILE in the systemd unit, nofile in /etc/security/limits.conf, or docker's --ulimit.");
        }
    }

    /** Segment files that may be open: as set, but no more than leave half of the descriptors to connections. */
    public int openFiles(ConfigValues values) {
        int set = values.get(StorageKeys.MAX_OPEN_FILES);
        return descriptors < 0
                ? set
                : (int) Math.max(MIN_OPEN_FILES, Math.min(set, (descriptors - OTHER_DESCRIPTORS) / 2));
    }

    /** Connections that may be open: as set, but no more than there are descriptors for beside the segments. */
    public int connections(ConfigValues values) {
        int set = values.get(ListenerKeys.MAX_CONNECTIONS);
        return descriptors < 0
                ? set
                : (int) Math.min(set, Math.max(MIN_CONNECTIONS, descriptors - OTHER_DESCRIPTORS - openFiles(values)));
    }

    private static void atMost(long bytes, String what, ConfigValues values, ConfigKey<? extends Number> key) {
        long value = values.get(key).longValue();
        if (value > bytes && values.isSet(key)) {
            throw new ConfigException(
                    key.name(),
                    "Invalid value '" + value + "' for " + key.name() + ": allowed is " + key.allowed()
                            + ", and at most " + bytes + ", " + what + ".",
                    null);
        }
    }
}
