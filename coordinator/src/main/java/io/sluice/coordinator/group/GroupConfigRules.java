package io.sluice.coordinator.group;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigValues;
import io.sluice.storage.config.GroupConfigKeys;

/** What settings of groups must fulfil together. Checked when a node starts, long before the library would find out. */
public final class GroupConfigRules {
    private GroupConfigRules() {}

    /**
     * Checks values against each other.
     *
     * @throws ConfigException naming both keys and their values
     */
    public static void check(ConfigValues values) {
        requireOrder(values, GroupConfigKeys.MIN_SESSION_MS, GroupConfigKeys.MAX_SESSION_MS);
        requireOrder(values, GroupConfigKeys.CONSUMER_MIN_SESSION_MS, GroupConfigKeys.CONSUMER_SESSION_MS);
        requireOrder(values, GroupConfigKeys.CONSUMER_SESSION_MS, GroupConfigKeys.CONSUMER_MAX_SESSION_MS);
        requireOrder(values, GroupConfigKeys.CONSUMER_MIN_HEARTBEAT_MS, GroupConfigKeys.CONSUMER_HEARTBEAT_MS);
        requireOrder(values, GroupConfigKeys.CONSUMER_HEARTBEAT_MS, GroupConfigKeys.CONSUMER_MAX_HEARTBEAT_MS);
        int heartbeat = values.get(GroupConfigKeys.CONSUMER_HEARTBEAT_MS);
        int session = values.get(GroupConfigKeys.CONSUMER_SESSION_MS);
        if (heartbeat >= session) {
            throw new ConfigException(
                    "Invalid value '" + heartbeat + "' for " + GroupConfigKeys.CONSUMER_HEARTBEAT_MS.name()
                            + ": it must be below " + GroupConfigKeys.CONSUMER_SESSION_MS.name() + ", which is "
                            + session + ".");
        }
    }

    private static void requireOrder(ConfigValues values, ConfigKey<Integer> lower, ConfigKey<Integer> upper) {
        int low = values.get(lower);
        int high = values.get(upper);
        if (low > high) {
            throw new ConfigException("Invalid value '" + low + "' for " + lower.name() + ": it must not be above "
                    + upper.name() + ", which is " + high + ".");
        }
    }
}
