package io.sluice.storage.config;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import io.sluice.base.config.ConfigSchema;
import io.sluice.base.config.ConfigValues;
import java.util.List;
import java.util.Map;

/**
 * What can be set on one group, by Kafka's names (KIP-848). Behind each stands the node's setting of the same name with
 * "group." before it, and the node sets its limits. All of them take effect at once.
 */
public final class GroupResourceKeys {
    /** Least time between two assignments. */
    public static final ConfigKey<Integer> CONSUMER_ASSIGNMENT_INTERVAL_MS = ConfigKey.ofInt(
            "consumer.assignment.interval.ms",
            1000,
            0,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Least time in milliseconds between two assignments of this consumer group.");

    /** Time between heartbeats. */
    public static final ConfigKey<Integer> CONSUMER_HEARTBEAT_MS = ConfigKey.ofInt(
            "consumer.heartbeat.interval.ms",
            5000,
            1,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Milliseconds between heartbeats of this consumer group's members.");

    /** Time without a heartbeat. */
    public static final ConfigKey<Integer> CONSUMER_SESSION_MS = ConfigKey.ofInt(
            "consumer.session.timeout.ms",
            45_000,
            1,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Milliseconds without a heartbeat after which a member of this consumer group is removed.");

    /** All of them. */
    public static final ConfigSchema SCHEMA =
            ConfigSchema.of(List.of(CONSUMER_ASSIGNMENT_INTERVAL_MS, CONSUMER_HEARTBEAT_MS, CONSUMER_SESSION_MS));

    private GroupResourceKeys() {}

    /** The node's name for the same thing. */
    public static String brokerKey(String groupKey) {
        return "group." + groupKey;
    }

    /**
     * Checks what is to be set on a group.
     *
     * @param node the node's settings, which limit it
     * @throws ConfigException for the first value not allowed
     */
    public static void require(Map<String, String> texts, ConfigValues node) {
        ConfigValues values = SCHEMA.read(texts);
        within(
                values,
                CONSUMER_ASSIGNMENT_INTERVAL_MS,
                node.get(GroupConfigKeys.CONSUMER_MIN_ASSIGNMENT_INTERVAL_MS),
                node.get(GroupConfigKeys.CONSUMER_MAX_ASSIGNMENT_INTERVAL_MS),
                node.get(GroupConfigKeys.CONSUMER_ASSIGNMENT_INTERVAL_MS));
        int heartbeat = within(
                values,
                CONSUMER_HEARTBEAT_MS,
                node.get(GroupConfigKeys.CONSUMER_MIN_HEARTBEAT_MS),
                node.get(GroupConfigKeys.CONSUMER_MAX_HEARTBEAT_MS),
                node.get(GroupConfigKeys.CONSUMER_HEARTBEAT_MS));
        int session = within(
                values,
                CONSUMER_SESSION_MS,
                node.get(GroupConfigKeys.CONSUMER_MIN_SESSION_MS),
                node.get(GroupConfigKeys.CONSUMER_MAX_SESSION_MS),
                node.get(GroupConfigKeys.CONSUMER_SESSION_MS));
        if (session <= heartbeat) {
            throw new ConfigException(CONSUMER_SESSION_MS.name() + " (" + session + ") must be greater than "
                    + CONSUMER_HEARTBEAT_MS.name() + " (" + heartbeat + ").");
        }
    }

    private static int within(ConfigValues values, ConfigKey<Integer> key, int min, int max, int inherited) {
        if (!values.isSet(key)) {
            return inherited;
        }
        int value = values.get(key);
        if (value < min || value > max) {
            throw new ConfigException(key.name() + " is " + value + "; it must be in the range " + min + " to " + max
                    + " inclusive, which the node's group.* settings allow.");
        }
        return value;
    }
}
