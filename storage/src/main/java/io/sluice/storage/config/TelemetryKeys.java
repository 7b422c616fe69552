package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import java.util.List;

/** Settings of a node for the metrics that clients push (KIP-714). */
public final class TelemetryKeys {
    /** Largest push. */
    public static final ConfigKey<Integer> MAX_BYTES = ConfigKey.ofInt(
            "telemetry.max.bytes",
            1 << 20,
            1,
            16 << 20,
            Scope.RESTART,
            "Largest push of a client's metrics, compressed if it is, in bytes; decompressed it may have ten times as"
                    + " many, up to 32 MiB.");

    /** Subscriptions. */
    public static final ConfigKey<Integer> MAX_SUBSCRIPTIONS = ConfigKey.ofInt(
            "sluice.telemetry.max.subscriptions",
            100,
            0,
            10_000,
            Scope.DYNAMIC,
            "Subscriptions to clients' metrics that there may be; every client is held against each of them, and one more is"
                    + " refused.");

    /** Instances known. */
    public static final ConfigKey<Integer> MAX_INSTANCES = ConfigKey.ofInt(
            "sluice.telemetry.max.instances",
            16_384,
            1,
            1_000_000,
            Scope.RESTART,
            "Client instances that the node remembers the subscription of; the one not heard of for longest goes, and asks"
                    + " again.");

    /** Clients whose metrics are held. */
    public static final ConfigKey<Integer> MAX_CLIENTS = ConfigKey.ofInt(
            "sluice.telemetry.max.clients",
            1_000,
            1,
            100_000,
            Scope.RESTART,
            "Client instances whose metrics are shown; those of the one that has not pushed for longest go.");

    /** Series of one client. */
    public static final ConfigKey<Integer> MAX_CLIENT_SERIES = ConfigKey.ofInt(
            "sluice.telemetry.max.client.series",
            1_000,
            1,
            100_000,
            Scope.RESTART,
            "Series of one client that are shown; what it pushes beyond is left out.");

    /** Series of all clients. */
    public static final ConfigKey<Integer> MAX_SERIES = ConfigKey.ofInt(
            "sluice.telemetry.max.series",
            10_000,
            1,
            1_000_000,
            Scope.RESTART,
            "Series of all clients together that are shown; what is pushed beyond is left out.");

    /** All of them. */
    public static final List<ConfigKey<?>> ALL =
            List.of(MAX_BYTES, MAX_SUBSCRIPTIONS, MAX_INSTANCES, MAX_CLIENTS, MAX_CLIENT_SERIES, MAX_SERIES);

    private TelemetryKeys() {}
}
