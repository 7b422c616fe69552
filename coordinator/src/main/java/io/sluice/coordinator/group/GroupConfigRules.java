package io.sluice.coordinator.group;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigValues;
import io.sluice.storage.config.GroupConfigKeys;
import io.sluice.storage.config.GroupResourceKeys;
import io.sluice.storage.config.ShareGroupKeys;
import io.sluice.storage.config.StreamsGroupKeys;

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
        requireBelow(values, GroupConfigKeys.CONSUMER_HEARTBEAT_MS, GroupConfigKeys.CONSUMER_SESSION_MS);
        checkShare(values);
        checkStreams(values);
    }

    private static void checkShare(ConfigValues values) {
        requireOrder(values, ShareGroupKeys.MIN_SESSION_MS, ShareGroupKeys.SESSION_MS);
        requireOrder(values, ShareGroupKeys.SESSION_MS, ShareGroupKeys.MAX_SESSION_MS);
        requireOrder(values, ShareGroupKeys.MIN_HEARTBEAT_MS, ShareGroupKeys.HEARTBEAT_MS);
        requireOrder(values, ShareGroupKeys.HEARTBEAT_MS, ShareGroupKeys.MAX_HEARTBEAT_MS);
        requireOrder(values, ShareGroupKeys.MIN_ASSIGNMENT_INTERVAL_MS, ShareGroupKeys.ASSIGNMENT_INTERVAL_MS);
        requireOrder(values, ShareGroupKeys.ASSIGNMENT_INTERVAL_MS, ShareGroupKeys.MAX_ASSIGNMENT_INTERVAL_MS);
        requireOrder(values, ShareGroupKeys.MIN_DELIVERY_COUNT_LIMIT, ShareGroupKeys.DELIVERY_COUNT_LIMIT);
        requireOrder(values, ShareGroupKeys.DELIVERY_COUNT_LIMIT, ShareGroupKeys.MAX_DELIVERY_COUNT_LIMIT);
        requireOrder(values, ShareGroupKeys.MIN_LOCK_DURATION_MS, ShareGroupKeys.LOCK_DURATION_MS);
        requireOrder(values, ShareGroupKeys.LOCK_DURATION_MS, ShareGroupKeys.MAX_LOCK_DURATION_MS);
        requireOrder(values, ShareGroupKeys.MIN_MAX_RECORD_LOCKS, ShareGroupKeys.MAX_RECORD_LOCKS);
        requireOrder(values, ShareGroupKeys.MAX_RECORD_LOCKS, ShareGroupKeys.MAX_MAX_RECORD_LOCKS);
        requireBelow(values, ShareGroupKeys.HEARTBEAT_MS, ShareGroupKeys.SESSION_MS);
    }

    private static void checkStreams(ConfigValues values) {
        requireOrder(values, StreamsGroupKeys.MIN_SESSION_MS, StreamsGroupKeys.SESSION_MS);
        requireOrder(values, StreamsGroupKeys.SESSION_MS, StreamsGroupKeys.MAX_SESSION_MS);
        requireOrder(values, StreamsGroupKeys.MIN_HEARTBEAT_MS, StreamsGroupKeys.HEARTBEAT_MS);
        requireOrder(values, StreamsGroupKeys.HEARTBEAT_MS, StreamsGroupKeys.MAX_HEARTBEAT_MS);
        requireOrder(values, StreamsGroupKeys.MIN_ASSIGNMENT_INTERVAL_MS, StreamsGroupKeys.ASSIGNMENT_INTERVAL_MS);
        requireOrder(values, StreamsGroupKeys.ASSIGNMENT_INTERVAL_MS, StreamsGroupKeys.MAX_ASSIGNMENT_INTERVAL_MS);
        requireOrder(values, StreamsGroupKeys.STANDBY_REPLICAS, StreamsGroupKeys.MAX_STANDBY_REPLICAS);
        requireBelow(values, StreamsGroupKeys.HEARTBEAT_MS, StreamsGroupKeys.SESSION_MS);
        GroupResourceKeys.requireDistinct(
                StreamsGroupKeys.RACK_AWARE_TAGS, values.get(StreamsGroupKeys.RACK_AWARE_TAGS));
    }

    private static void requireBelow(ConfigValues values, ConfigKey<Integer> lower, ConfigKey<Integer> upper) {
        int low = values.get(lower);
        int high = values.get(upper);
        if (low >= high) {
            throw new ConfigException("Invalid value '" + low + "' for " + lower.name() + ": it must be below "
                    + upper.name() + ", which is " + high + ".");
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
