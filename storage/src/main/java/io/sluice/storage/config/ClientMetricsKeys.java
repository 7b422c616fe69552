package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import io.sluice.base.config.ConfigSchema;
import java.util.List;

/** What can be set on one subscription to clients' metrics, by Kafka's names (KIP-714). All of them take effect at once. */
public final class ClientMetricsKeys {
    /** Stands for all metrics. */
    public static final String ALL_METRICS = "*";

    /** Which metrics. */
    public static final ConfigKey<List<String>> METRICS = ConfigKey.ofList(
            "metrics",
            "",
            Scope.DYNAMIC,
            "Beginnings of the names of the metrics that clients push, separated by commas; * for all of them, nothing for"
                    + " none.");

    /** How often. */
    public static final ConfigKey<Integer> INTERVAL_MS = ConfigKey.ofInt(
            "interval.ms", 300_000, 100, 3_600_000, Scope.DYNAMIC, "Milliseconds between two pushes of a client.");

    /** Which clients. */
    public static final ConfigKey<List<String>> MATCH = ConfigKey.ofList(
            "match",
            "",
            Scope.DYNAMIC,
            "Which clients push: NAME=REGULAR EXPRESSION, separated by commas, all of which must match the whole of what a"
                    + " client is; nothing for every client.");

    /** All of them. */
    public static final ConfigSchema SCHEMA = ConfigSchema.of(List.of(METRICS, INTERVAL_MS, MATCH));

    private ClientMetricsKeys() {}
}
