package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import java.util.List;

/** The node's own log of what it does. */
public final class LoggingKeys {
    /** What is worth a line. */
    public static final ConfigKey<String> LEVEL = ConfigKey.ofChoice(
            "sluice.logging.level",
            "info",
            List.of("error", "warn", "info", "debug"),
            Scope.RESTART,
            "What is worth a line in the node's own log.");

    /** File of the node's own log; unset means standard output. */
    public static final ConfigKey<String> FILE = ConfigKey.ofString(
            "sluice.logging.file", null, Scope.RESTART, "File of the node's own log; unset means standard output.");

    /** Size in bytes at which the file is set aside and a new one begun. */
    public static final ConfigKey<Long> FILE_MAX_BYTES = ConfigKey.ofLong(
            "sluice.logging.file.max.bytes",
            16777216,
            65536,
            1L << 40,
            Scope.RESTART,
            "Size in bytes at which the node's own log file is set aside and a new one begun.");

    /** Files set aside that are kept. */
    public static final ConfigKey<Integer> FILE_COUNT = ConfigKey.ofInt(
            "sluice.logging.file.count",
            5,
            1,
            20,
            Scope.RESTART,
            "Files of the node's own log, set aside as full, that are kept.");

    /** All of them. */
    static final List<ConfigKey<?>> ALL = List.of(LEVEL, FILE, FILE_MAX_BYTES, FILE_COUNT);

    private LoggingKeys() {}
}
