package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import io.sluice.base.config.ConfigValues;
import java.util.List;

/** What can be set on one streams group, by Kafka's names (KIP-1071); part of {@link GroupResourceKeys}. */
final class StreamsResourceKeys {
    static final ConfigKey<Integer> ASSIGNMENT_INTERVAL_MS = ofInt(
            "streams.assignment.interval.ms",
            1000,
            0,
            "Least time in milliseconds between two assignments of this streams group.");

    static final ConfigKey<String> ASSIGNOR = ConfigKey.ofChoice(
            "streams.assignor.name",
            "sticky",
            List.of("sticky"),
            Scope.DYNAMIC,
            "What assigns tasks to this streams group's members; there is only one.");

    static final ConfigKey<Integer> HEARTBEAT_MS = ofInt(
            "streams.heartbeat.interval.ms",
            5000,
            1,
            "Milliseconds between heartbeats of this streams group's members.");

    static final ConfigKey<Integer> INITIAL_REBALANCE_DELAY_MS = ofInt(
            "streams.initial.rebalance.delay.ms",
            3000,
            0,
            "Milliseconds for which this streams group, when it is new, waits for more members before its first assignment.");

    static final ConfigKey<Integer> STANDBY_REPLICAS = ofInt(
            "streams.num.standby.replicas",
            0,
            0,
            "How many members keep a copy of the state of each task of this streams group, beside the one that works on it.");

    static final ConfigKey<List<String>> RACK_AWARE_TAGS = ConfigKey.ofList(
            "streams.rack.aware.assignment.tags",
            "",
            Scope.DYNAMIC,
            "Keys of client tags, each once: the copies of a task's state are spread over members that differ in them.");

    static final ConfigKey<Integer> SESSION_MS = ofInt(
            "streams.session.timeout.ms",
            45_000,
            1,
            "Milliseconds without a heartbeat after which a member of this streams group is removed.");

    static final List<ConfigKey<?>> ALL = List.of(
            ASSIGNMENT_INTERVAL_MS,
            ASSIGNOR,
            HEARTBEAT_MS,
            INITIAL_REBALANCE_DELAY_MS,
            STANDBY_REPLICAS,
            RACK_AWARE_TAGS,
            SESSION_MS);

    private StreamsResourceKeys() {}

    /** Checks a group's values against the node's limits. */
    static void require(ConfigValues values, ConfigValues node) {
        GroupResourceKeys.within(
                values,
                ASSIGNMENT_INTERVAL_MS,
                node.get(StreamsGroupKeys.MIN_ASSIGNMENT_INTERVAL_MS),
                node.get(StreamsGroupKeys.MAX_ASSIGNMENT_INTERVAL_MS),
                node.get(StreamsGroupKeys.ASSIGNMENT_INTERVAL_MS));
        GroupResourceKeys.within(
                values,
                STANDBY_REPLICAS,
                0,
                node.get(StreamsGroupKeys.MAX_STANDBY_REPLICAS),
                node.get(StreamsGroupKeys.STANDBY_REPLICAS));
        int heartbeat = GroupResourceKeys.within(
                values,
                HEARTBEAT_MS,
                node.get(StreamsGroupKeys.MIN_HEARTBEAT_MS),
                node.get(StreamsGroupKeys.MAX_HEARTBEAT_MS),
                node.get(StreamsGroupKeys.HEARTBEAT_MS));
        int session = GroupResourceKeys.within(
                values,
                SESSION_MS,
                node.get(StreamsGroupKeys.MIN_SESSION_MS),
                node.get(StreamsGroupKeys.MAX_SESSION_MS),
                node.get(StreamsGroupKeys.SESSION_MS));
        GroupResourceKeys.requireLonger(SESSION_MS, session, HEARTBEAT_MS, heartbeat);
        GroupResourceKeys.requireDistinct(RACK_AWARE_TAGS, values.get(RACK_AWARE_TAGS));
    }

    private static ConfigKey<Integer> ofInt(String name, int defaultValue, int min, String doc) {
        return ConfigKey.ofInt(name, defaultValue, min, Integer.MAX_VALUE, Scope.DYNAMIC, doc);
    }
}
