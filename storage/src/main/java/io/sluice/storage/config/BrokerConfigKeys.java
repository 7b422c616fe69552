package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigSchema;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Every setting of a node: the keys of {@link TopicDefaultKeys}, {@link ListenerKeys}, {@link GroupConfigKeys}, {@link LoggingKeys},
 * {@link ShareGroupKeys}, {@link StorageKeys}, {@link StreamsGroupKeys}, {@link TelemetryKeys} and {@link TransactionKeys} together. Those of scope DYNAMIC can be
 * changed while the node runs, see {@link DynamicConfigs}.
 */
public final class BrokerConfigKeys {
    /** All of them, by name. */
    public static final ConfigSchema SCHEMA = ConfigSchema.of(Stream.of(
                    TopicDefaultKeys.ALL,
                    ListenerKeys.ALL,
                    GroupConfigKeys.ALL,
                    ShareGroupKeys.ALL,
                    StreamsGroupKeys.ALL,
                    StorageKeys.ALL,
                    LoggingKeys.ALL,
                    TelemetryKeys.ALL,
                    TransactionKeys.ALL)
            .<ConfigKey<?>>flatMap(keys -> keys.stream())
            .sorted(Comparator.comparing(ConfigKey::name))
            .toList());

    private BrokerConfigKeys() {}
}
