package io.sluice.broker.net;

import io.sluice.base.config.ConfigValues;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.ListenerKeys;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Settings of the front. Immutable. */
public final class FrontConfig {
    private final ConfigValues values;
    private final int maxConnections;

    /**
     * Reads from values that {@link BrokerConfigKeys#SCHEMA} has checked.
     *
     * @param maxConnections that may be open: as set, or as many as the process has descriptors for
     */
    public FrontConfig(ConfigValues values, int maxConnections) {
        this.values = values;
        this.maxConnections = maxConnections;
    }

    /** Defaults but for these. */
    public static FrontConfig of(Map<String, String> texts) {
        ConfigValues values = BrokerConfigKeys.SCHEMA.read(texts);
        return new FrontConfig(values, values.get(ListenerKeys.MAX_CONNECTIONS));
    }

    int eventLoops() {
        return values.get(ListenerKeys.NUM_NETWORK_THREADS);
    }

    int backlog() {
        return values.get(ListenerKeys.SOCKET_LISTEN_BACKLOG_SIZE);
    }

    int maxRequestBytes() {
        return values.get(ListenerKeys.SOCKET_REQUEST_MAX_BYTES);
    }

    int maxControlRequestBytes() {
        return Math.min(values.get(ListenerKeys.REQUEST_CONTROL_MAX_BYTES), maxRequestBytes());
    }

    long requestMemoryBytes(long directMemoryBytes) {
        long configured = values.get(ListenerKeys.QUEUED_MAX_REQUEST_BYTES);
        return configured < 0 ? directMemoryBytes / 5 * 2 : configured;
    }

    /** An eighth of the heap unless set. */
    long requestHeapBytes() {
        long configured = values.get(ListenerKeys.REQUEST_HEAP_BYTES);
        return configured < 0 ? Runtime.getRuntime().maxMemory() / 8 : configured;
    }

    long responseMemoryBytes(long directMemoryBytes) {
        long configured = values.get(ListenerKeys.RESPONSE_MEMORY_BYTES);
        return configured < 0 ? directMemoryBytes / 4 : configured;
    }

    int maxPendingBytes() {
        return values.get(ListenerKeys.CONNECTION_MAX_PENDING_BYTES);
    }

    long stallNanos() {
        return TimeUnit.MILLISECONDS.toNanos(values.get(ListenerKeys.CONNECTION_STALL_TIMEOUT_MS));
    }

    long assemblyNanos() {
        return TimeUnit.MILLISECONDS.toNanos(values.get(ListenerKeys.REQUEST_ASSEMBLY_TIMEOUT_MS));
    }

    long idleNanos() {
        return TimeUnit.MILLISECONDS.toNanos(values.get(ListenerKeys.CONNECTIONS_MAX_IDLE_MS));
    }

    int maxConnections() {
        return maxConnections;
    }

    int maxConnectionsPerAddress() {
        return values.get(ListenerKeys.MAX_CONNECTIONS_PER_IP);
    }

    long drainNanos() {
        return TimeUnit.MILLISECONDS.toNanos(values.get(ListenerKeys.SHUTDOWN_DRAIN_MS));
    }

    /** -1 leaves it to the system. */
    int receiveBufferBytes() {
        return values.get(ListenerKeys.SOCKET_RECEIVE_BUFFER_BYTES);
    }

    /** -1 leaves it to the system. */
    int sendBufferBytes() {
        return values.get(ListenerKeys.SOCKET_SEND_BUFFER_BYTES);
    }
}
