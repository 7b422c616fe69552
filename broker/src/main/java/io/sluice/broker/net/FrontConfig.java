package io.sluice.broker.net;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import io.sluice.base.config.ConfigSchema;
import io.sluice.base.config.ConfigValues;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Settings of the front. Immutable. */
public final class FrontConfig {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    private static final ConfigKey<Integer> THREADS =
            ConfigKey.ofInt("num.network.threads", 2, 1, 64, Scope.RESTART, "Event loops that serve all connections.");
    private static final ConfigKey<Integer> BACKLOG = ConfigKey.ofInt(
            "socket.listen.backlog.size",
            1024,
            1,
            65_535,
            Scope.RESTART,
            "Connections that may wait in the system to be accepted.");
    private static final ConfigKey<Integer> MAX_REQUEST_BYTES = ConfigKey.ofInt(
            "socket.request.max.bytes",
            100 * MIB,
            64 * KIB,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Largest request; a connection that announces a larger one is closed.");
    private static final ConfigKey<Integer> MAX_CONTROL_BYTES = ConfigKey.ofInt(
            "sluice.request.control.max.bytes",
            16 * MIB,
            64 * KIB,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Largest request other than Produce.");
    private static final ConfigKey<Long> REQUEST_MEMORY = ConfigKey.ofLong(
            "queued.max.request.bytes",
            -1,
            -1,
            Long.MAX_VALUE,
            Scope.RESTART,
            "Memory for requests of all connections, in bytes; -1 stands for two fifths of direct memory."
                    + " When it is used up, sockets are not read.");
    private static final ConfigKey<Long> RESPONSE_MEMORY = ConfigKey.ofLong(
            "sluice.response.memory.bytes",
            -1,
            -1,
            Long.MAX_VALUE,
            Scope.RESTART,
            "Memory for answers that clients have not taken yet, in bytes; -1 stands for a quarter of direct memory.");
    private static final ConfigKey<Integer> MAX_PENDING = ConfigKey.ofInt(
            "sluice.connection.max.pending.bytes",
            64 * MIB,
            64 * KIB,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Memory for answers that one connection has not taken yet, in bytes.");
    private static final ConfigKey<Long> STALL_MILLIS = ConfigKey.ofLong(
            "sluice.connection.stall.timeout.ms",
            60_000,
            10,
            Long.MAX_VALUE / 1_000_000,
            Scope.RESTART,
            "A client that takes no byte of its answers for so long is disconnected;"
                    + " six times sooner when response memory is scarce.");
    private static final ConfigKey<Long> ASSEMBLY_MILLIS = ConfigKey.ofLong(
            "sluice.request.assembly.timeout.ms",
            30_000,
            10,
            Long.MAX_VALUE / 1_000_000,
            Scope.RESTART,
            "A client that needs longer than this to send one request is disconnected while others wait for memory.");
    private static final ConfigKey<Long> IDLE_MILLIS = ConfigKey.ofLong(
            "connections.max.idle.ms",
            600_000,
            10,
            Long.MAX_VALUE / 1_000_000,
            Scope.RESTART,
            "A connection without traffic for so long is closed.");
    private static final ConfigKey<Integer> MAX_CONNECTIONS = ConfigKey.ofInt(
            "max.connections", Integer.MAX_VALUE, 0, Integer.MAX_VALUE, Scope.RESTART, "Connections open at a time.");
    private static final ConfigKey<Integer> MAX_PER_IP = ConfigKey.ofInt(
            "max.connections.per.ip",
            Integer.MAX_VALUE,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Connections open at a time from one address.");
    private static final ConfigKey<Long> DRAIN_MILLIS = ConfigKey.ofLong(
            "sluice.shutdown.drain.ms",
            1_000,
            0,
            60_000,
            Scope.RESTART,
            "How long a stop waits for requests in flight before it closes their connections.");

    /** All keys, for the node's schema. */
    public static final List<ConfigKey<?>> KEYS = List.of(
            THREADS,
            BACKLOG,
            MAX_REQUEST_BYTES,
            MAX_CONTROL_BYTES,
            REQUEST_MEMORY,
            RESPONSE_MEMORY,
            MAX_PENDING,
            STALL_MILLIS,
            ASSEMBLY_MILLIS,
            IDLE_MILLIS,
            MAX_CONNECTIONS,
            MAX_PER_IP,
            DRAIN_MILLIS);

    private final ConfigValues values;

    /** Reads from values that a schema holding {@link #KEYS} has checked. */
    public FrontConfig(ConfigValues values) {
        this.values = values;
    }

    /** Defaults but for these. */
    public static FrontConfig of(Map<String, String> texts) {
        return new FrontConfig(ConfigSchema.of(KEYS).read(texts));
    }

    int eventLoops() {
        return values.get(THREADS);
    }

    int backlog() {
        return values.get(BACKLOG);
    }

    int maxRequestBytes() {
        return values.get(MAX_REQUEST_BYTES);
    }

    int maxControlRequestBytes() {
        return Math.min(values.get(MAX_CONTROL_BYTES), maxRequestBytes());
    }

    long requestMemoryBytes(long directMemoryBytes) {
        long configured = values.get(REQUEST_MEMORY);
        return configured < 0 ? directMemoryBytes / 5 * 2 : configured;
    }

    long responseMemoryBytes(long directMemoryBytes) {
        long configured = values.get(RESPONSE_MEMORY);
        return configured < 0 ? directMemoryBytes / 4 : configured;
    }

    int maxPendingBytes() {
        return values.get(MAX_PENDING);
    }

    long stallNanos() {
        return TimeUnit.MILLISECONDS.toNanos(values.get(STALL_MILLIS));
    }

    long assemblyNanos() {
        return TimeUnit.MILLISECONDS.toNanos(values.get(ASSEMBLY_MILLIS));
    }

    long idleNanos() {
        return TimeUnit.MILLISECONDS.toNanos(values.get(IDLE_MILLIS));
    }

    int maxConnections() {
        return values.get(MAX_CONNECTIONS);
    }

    int maxConnectionsPerAddress() {
        return values.get(MAX_PER_IP);
    }

    long drainNanos() {
        return TimeUnit.MILLISECONDS.toNanos(values.get(DRAIN_MILLIS));
    }
}
