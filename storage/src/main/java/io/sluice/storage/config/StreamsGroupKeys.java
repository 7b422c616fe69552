package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import java.util.List;

/** Settings of streams groups (KIP-1071), by Kafka's names. All take effect at the next start. */
public final class StreamsGroupKeys {
    /** Session of a member. */
    public static final ConfigKey<Integer> SESSION_MS =
            ofMillis("group.streams.session.timeout.ms", 45_000, 1, "Session time-out of members of streams groups");

    /** Smallest session a group may be configured with. */
    public static final ConfigKey<Integer> MIN_SESSION_MS = ofMillis(
            "group.streams.min.session.timeout.ms",
            45_000,
            1,
            "Smallest session time-out a streams group may be given");

    /** Largest session a group may be configured with. */
    public static final ConfigKey<Integer> MAX_SESSION_MS = ofMillis(
            "group.streams.max.session.timeout.ms", 60_000, 1, "Largest session time-out a streams group may be given");

    /** Heartbeat interval of a member. */
    public static final ConfigKey<Integer> HEARTBEAT_MS = ofMillis(
            "group.streams.heartbeat.interval.ms", 5000, 1, "Heartbeat interval told to members of streams groups");

    /** Smallest heartbeat interval a group may be configured with. */
    public static final ConfigKey<Integer> MIN_HEARTBEAT_MS = ofMillis(
            "group.streams.min.heartbeat.interval.ms",
            5000,
            1,
            "Smallest heartbeat interval a streams group may be given");

    /** Largest heartbeat interval a group may be configured with. */
    public static final ConfigKey<Integer> MAX_HEARTBEAT_MS = ofMillis(
            "group.streams.max.heartbeat.interval.ms",
            15_000,
            1,
            "Largest heartbeat interval a streams group may be given");

    /** Wait before the first assignment. */
    public static final ConfigKey<Integer> INITIAL_REBALANCE_DELAY_MS = ofMillis(
            "group.streams.initial.rebalance.delay.ms",
            3000,
            0,
            "How long a new streams group waits for more members before its first assignment");

    /** Least time between two assignments. */
    public static final ConfigKey<Integer> ASSIGNMENT_INTERVAL_MS = ofMillis(
            "group.streams.assignment.interval.ms",
            1000,
            0,
            "Least time between two assignments of a streams group, so that many members who come together cause few");

    /** Smallest assignment interval a group may be configured with. */
    public static final ConfigKey<Integer> MIN_ASSIGNMENT_INTERVAL_MS = ofMillis(
            "group.streams.min.assignment.interval.ms",
            0,
            0,
            "Smallest assignment interval a streams group may be given");

    /** Largest assignment interval a group may be configured with. */
    public static final ConfigKey<Integer> MAX_ASSIGNMENT_INTERVAL_MS = ofMillis(
            "group.streams.max.assignment.interval.ms",
            15_000,
            0,
            "Largest assignment interval a streams group may be given");

    /** Most members of a group. */
    public static final ConfigKey<Integer> MAX_SIZE = ConfigKey.ofInt(
            "group.streams.max.size",
            Integer.MAX_VALUE,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Most members a streams group may have (KIP-1071).");

    /** Standby tasks of each task with state. */
    public static final ConfigKey<Integer> STANDBY_REPLICAS = ConfigKey.ofInt(
            "group.streams.num.standby.replicas",
            0,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "How many members keep a copy of the state of each task of a streams group, beside the one that works on it (KIP-1071).");

    /** Most standby tasks a group may be configured with. */
    public static final ConfigKey<Integer> MAX_STANDBY_REPLICAS = ConfigKey.ofInt(
            "group.streams.max.standby.replicas",
            2,
            0,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Most copies of the state of a task that a streams group may be given (KIP-1071).");

    /** Assignors; there is one. */
    public static final ConfigKey<List<String>> ASSIGNORS = new ConfigKey<>(
            "group.streams.assignors",
            ConfigKey.Type.LIST,
            "sticky",
            "sticky",
            StreamsGroupKeys::requireAssignor,
            Scope.RESTART,
            "What assigns tasks to the members of streams groups; there is only one (KIP-1071).");

    /** What copies of a task's state are spread over. */
    public static final ConfigKey<List<String>> RACK_AWARE_TAGS = ConfigKey.ofList(
            "group.streams.rack.aware.assignment.tags",
            "",
            Scope.RESTART,
            "Keys of client tags, each once: the copies of a task's state are spread over members that differ in them.");

    /** All of them, in the order of the documentation. */
    public static final List<ConfigKey<?>> ALL = List.of(
            SESSION_MS,
            MIN_SESSION_MS,
            MAX_SESSION_MS,
            HEARTBEAT_MS,
            MIN_HEARTBEAT_MS,
            MAX_HEARTBEAT_MS,
            INITIAL_REBALANCE_DELAY_MS,
            ASSIGNMENT_INTERVAL_MS,
            MIN_ASSIGNMENT_INTERVAL_MS,
            MAX_ASSIGNMENT_INTERVAL_MS,
            MAX_SIZE,
            STANDBY_REPLICAS,
            MAX_STANDBY_REPLICAS,
            ASSIGNORS,
            RACK_AWARE_TAGS);

    private StreamsGroupKeys() {}

    private static List<String> requireAssignor(String text) {
        if (!text.trim().equals("sticky")) {
            throw new IllegalArgumentException("no such assignor");
        }
        return List.of(text.trim());
    }

    private static ConfigKey<Integer> ofMillis(String name, int defaultValue, int min, String what) {
        return ConfigKey.ofInt(
                name, defaultValue, min, Integer.MAX_VALUE, Scope.RESTART, what + " (KIP-1071), in milliseconds.");
    }
}
