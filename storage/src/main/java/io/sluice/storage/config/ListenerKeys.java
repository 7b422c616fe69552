package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import java.util.List;

/** Sockets, connections and requests. */
public final class ListenerKeys {
    /** Addresses that clients are told to use, NAME://HOST:PORT; empty means those of listeners. */
    public static final ConfigKey<List<String>> ADVERTISED_LISTENERS = ConfigKey.ofList(
            "advertised.listeners",
            "",
            Scope.RESTART,
            "Addresses that clients are told to use, NAME://HOST:PORT; empty means those of " + "listeners.");

    /** A connection without traffic for so many milliseconds is closed. */
    public static final ConfigKey<Long> CONNECTIONS_MAX_IDLE_MS = ConfigKey.ofLong(
            "connections.max.idle.ms",
            600_000,
            10,
            Long.MAX_VALUE / 1_000_000,
            Scope.RESTART,
            "A connection without traffic for so many milliseconds is closed.");

    /** Most bytes of records in one Fetch answer. */
    public static final ConfigKey<Integer> FETCH_MAX_BYTES = ConfigKey.ofInt(
            "fetch.max.bytes",
            57671680,
            1024,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Most bytes of records in one Fetch answer.");

    /** Addresses to listen on, NAME://HOST:PORT, an IPv6 address in brackets. */
    public static final ConfigKey<List<String>> LISTENERS = ConfigKey.ofList(
            "listeners",
            "PLAINTEXT://127.0.0.1:9092",
            Scope.RESTART,
            "Addresses to listen on, NAME://HOST:PORT, an IPv6 address in brackets.");

    /** Connections that may be open at once. */
    public static final ConfigKey<Integer> MAX_CONNECTIONS = ConfigKey.ofInt(
            "max.connections",
            Integer.MAX_VALUE,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Connections that may be open at once; never more than the process has descriptors for, beside segments and others.");

    /** Connections that may be open at once from one address. */
    public static final ConfigKey<Integer> MAX_CONNECTIONS_PER_IP = ConfigKey.ofInt(
            "max.connections.per.ip",
            Integer.MAX_VALUE,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Connections that may be open at once from one address.");

    /** Fetch sessions kept at once; 0 switches sessions off. */
    public static final ConfigKey<Integer> MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS = ConfigKey.ofInt(
            "max.incremental.fetch.session.cache.slots",
            1000,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Fetch sessions kept at once; 0 switches sessions off.");

    /** Most partitions in one DescribeTopicPartitions answer. */
    public static final ConfigKey<Integer> MAX_REQUEST_PARTITION_SIZE_LIMIT = ConfigKey.ofInt(
            "max.request.partition.size.limit",
            2000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Most partitions in one DescribeTopicPartitions answer.");

    /** Event loops that serve all connections. */
    public static final ConfigKey<Integer> NUM_NETWORK_THREADS =
            ConfigKey.ofInt("num.network.threads", 2, 1, 64, Scope.RESTART, "Event loops that serve all connections.");

    /** Memory in bytes for requests of all connections, -1 for two fifths of direct memory; when it is used up, sockets are not read. */
    public static final ConfigKey<Long> QUEUED_MAX_REQUEST_BYTES = ConfigKey.ofLong(
            "queued.max.request.bytes",
            -1,
            -1,
            Long.MAX_VALUE,
            Scope.RESTART,
            "Memory in bytes for requests of all connections, -1 for two fifths of direct memory; when it is used up, sockets are not read.");

    /** Milliseconds after which a request that waits for something inside the node is answered with an error. */
    public static final ConfigKey<Integer> REQUEST_TIMEOUT_MS = ConfigKey.ofInt(
            "request.timeout.ms",
            30000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Milliseconds after which a request that waits for something inside the node is answered "
                    + "with an error.");

    /** Connections that may wait in the system to be accepted. */
    public static final ConfigKey<Integer> SOCKET_LISTEN_BACKLOG_SIZE = ConfigKey.ofInt(
            "socket.listen.backlog.size",
            1024,
            1,
            65_535,
            Scope.RESTART,
            "Connections that may wait in the system to be accepted.");

    /** Receive buffer of a socket in bytes; -1 leaves it to the operating system. */
    public static final ConfigKey<Integer> SOCKET_RECEIVE_BUFFER_BYTES = ConfigKey.ofInt(
            "socket.receive.buffer.bytes",
            -1,
            -1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Receive buffer of a socket in bytes; -1 leaves it to the operating system.");

    /** Largest request in bytes, at most half of direct memory; a connection that announces a larger one is closed before memory is taken for it. */
    public static final ConfigKey<Integer> SOCKET_REQUEST_MAX_BYTES = ConfigKey.ofInt(
            "socket.request.max.bytes",
            104_857_600,
            65_536,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Largest request in bytes, at most half of direct memory; a connection that announces a larger one is closed before memory is taken for it.");

    /** Send buffer of a socket in bytes; -1 leaves it to the operating system. */
    public static final ConfigKey<Integer> SOCKET_SEND_BUFFER_BYTES = ConfigKey.ofInt(
            "socket.send.buffer.bytes",
            -1,
            -1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Send buffer of a socket in bytes; -1 leaves it to the operating system.");

    /** Address of the HTTP port for metrics and health. */
    public static final ConfigKey<String> ADMIN_HOST = ConfigKey.ofString(
            "sluice.admin.host", "127.0.0.1", Scope.RESTART, "Address of the HTTP port for metrics and health.");

    /** HTTP port for metrics and health; 0 takes any free one. */
    public static final ConfigKey<Integer> ADMIN_PORT = ConfigKey.ofInt(
            "sluice.admin.port",
            9644,
            0,
            65535,
            Scope.RESTART,
            "HTTP port for metrics and health; 0 takes any free one.");

    /** Heap in bytes for requests that have been read, -1 for an eighth of the heap. */
    public static final ConfigKey<Long> REQUEST_HEAP_BYTES = new ConfigKey<>(
            "sluice.request.heap.bytes",
            ConfigKey.Type.LONG,
            "-1",
            "-1, or 1048576 or more",
            ListenerKeys::parseMemory,
            Scope.RESTART,
            "Heap in bytes for requests that have been read, -1 for an eighth of the heap. One request may take half of it, "
                    + "where a partition in a Fetch counts as some 300 bytes; a larger one's connection is closed.");

    /** Memory in bytes for answers that one connection has not taken yet; beyond it none of its calls starts, and the stall time-out ends it if it takes none. */
    public static final ConfigKey<Integer> CONNECTION_MAX_PENDING_BYTES = ConfigKey.ofInt(
            "sluice.connection.max.pending.bytes",
            67_108_864,
            65_536,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Memory in bytes for answers that one connection has not taken yet; beyond it none of its calls starts, and the stall time-out ends it if it takes none.");

    /** A client that takes no byte of its answers for so many milliseconds is disconnected; six times sooner when response memory is scarce. */
    public static final ConfigKey<Long> CONNECTION_STALL_TIMEOUT_MS = ConfigKey.ofLong(
            "sluice.connection.stall.timeout.ms",
            60_000,
            10,
            Long.MAX_VALUE / 1_000_000,
            Scope.RESTART,
            "A client that takes no byte of its answers for so many milliseconds is disconnected; six times sooner when response memory is scarce.");

    /** A client that needs more milliseconds than this to send one request is disconnected while others wait for memory. */
    public static final ConfigKey<Long> REQUEST_ASSEMBLY_TIMEOUT_MS = ConfigKey.ofLong(
            "sluice.request.assembly.timeout.ms",
            30_000,
            10,
            Long.MAX_VALUE / 1_000_000,
            Scope.RESTART,
            "A client that needs more milliseconds than this to send one request is disconnected while others wait for memory.");

    /** Largest request other than Produce, in bytes. */
    public static final ConfigKey<Integer> REQUEST_CONTROL_MAX_BYTES = ConfigKey.ofInt(
            "sluice.request.control.max.bytes",
            16_777_216,
            65_536,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Largest request other than Produce, in bytes.");

    /** Memory in bytes for answers that clients have not taken yet, -1 for a quarter of direct memory. */
    public static final ConfigKey<Long> RESPONSE_MEMORY_BYTES = new ConfigKey<>(
            "sluice.response.memory.bytes",
            ConfigKey.Type.LONG,
            "-1",
            "-1, or 1048576 or more",
            ListenerKeys::parseMemory,
            Scope.RESTART,
            "Memory in bytes for answers that clients have not taken yet, -1 for a quarter of direct memory.");

    /** Milliseconds that a stop waits for requests in flight before it closes their connections. */
    public static final ConfigKey<Long> SHUTDOWN_DRAIN_MS = ConfigKey.ofLong(
            "sluice.shutdown.drain.ms",
            1_000,
            0,
            60_000,
            Scope.RESTART,
            "Milliseconds that a stop waits for requests in flight before it closes their connections.");

    /** All of them. */
    static final List<ConfigKey<?>> ALL = List.of(
            ADVERTISED_LISTENERS,
            CONNECTIONS_MAX_IDLE_MS,
            FETCH_MAX_BYTES,
            LISTENERS,
            MAX_CONNECTIONS,
            MAX_CONNECTIONS_PER_IP,
            MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS,
            MAX_REQUEST_PARTITION_SIZE_LIMIT,
            NUM_NETWORK_THREADS,
            QUEUED_MAX_REQUEST_BYTES,
            REQUEST_TIMEOUT_MS,
            SOCKET_LISTEN_BACKLOG_SIZE,
            SOCKET_RECEIVE_BUFFER_BYTES,
            SOCKET_REQUEST_MAX_BYTES,
            SOCKET_SEND_BUFFER_BYTES,
            ADMIN_HOST,
            ADMIN_PORT,
            CONNECTION_MAX_PENDING_BYTES,
            CONNECTION_STALL_TIMEOUT_MS,
            REQUEST_ASSEMBLY_TIMEOUT_MS,
            REQUEST_CONTROL_MAX_BYTES,
            REQUEST_HEAP_BYTES,
            RESPONSE_MEMORY_BYTES,
            SHUTDOWN_DRAIN_MS);

    private ListenerKeys() {}

    /** With less than a mebibyte no client would get records, or ask for any. */
    private static long parseMemory(String text) {
        long bytes = Long.parseLong(text.trim());
        if (bytes != -1 && bytes < 1 << 20) {
            throw new IllegalArgumentException("out of range");
        }
        return bytes;
    }
}
