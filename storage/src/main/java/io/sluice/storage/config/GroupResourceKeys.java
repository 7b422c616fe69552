package io.sluice.storage.config;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import io.sluice.base.config.ConfigSchema;
import io.sluice.base.config.ConfigValues;
import io.sluice.base.metadata.TopicNames;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What can be set on one group, by Kafka's names (KIP-848, KIP-932, KIP-1071). Behind most stands the node's setting of the same name with
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

    /** Least time in milliseconds between two assignments of this share group. */
    public static final ConfigKey<Integer> SHARE_ASSIGNMENT_INTERVAL_MS = ConfigKey.ofInt(
            "share.assignment.interval.ms",
            1000,
            0,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Least time in milliseconds between two assignments of this share group.");

    /** Where a share group begins that has read nothing of a partition yet. */
    public static final ConfigKey<String> SHARE_AUTO_OFFSET_RESET = ConfigKey.ofString(
            "share.auto.offset.reset",
            "latest",
            Scope.DYNAMIC,
            "Where this share group begins in a partition that it has not begun yet: latest, earliest, or by_duration: and an"
                    + " ISO 8601 duration, such as by_duration:PT1H.");

    /** How many times a record is delivered to this share group until it is given up. */
    public static final ConfigKey<Integer> SHARE_DELIVERY_COUNT_LIMIT = ConfigKey.ofInt(
            "share.delivery.count.limit",
            5,
            2,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "How many times a record is delivered to this share group until it is given up.");

    /** Milliseconds between heartbeats of this share group's members. */
    public static final ConfigKey<Integer> SHARE_HEARTBEAT_MS = ConfigKey.ofInt(
            "share.heartbeat.interval.ms",
            5000,
            1,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Milliseconds between heartbeats of this share group's members.");

    /** Whether records of transactions that are open or aborted are delivered. */
    public static final ConfigKey<String> SHARE_ISOLATION_LEVEL = ConfigKey.ofChoice(
            "share.isolation.level",
            "read_uncommitted",
            List.of("read_committed", "read_uncommitted"),
            Scope.DYNAMIC,
            "Whether this share group is delivered only records of transactions that were committed (read_committed), or all.");

    /** Most records of a partition that this share group has in flight. */
    public static final ConfigKey<Integer> SHARE_MAX_RECORD_LOCKS = ConfigKey.ofInt(
            "share.partition.max.record.locks",
            2000,
            100,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Most records of a partition that this share group has in flight.");

    /** Milliseconds for which a consumer of this share group may keep a record without acknowledging it until it is delivered again. */
    public static final ConfigKey<Integer> SHARE_LOCK_DURATION_MS = ConfigKey.ofInt(
            "share.record.lock.duration.ms",
            30_000,
            1000,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Milliseconds for which a consumer of this share group may keep a record without acknowledging it until it is delivered again.");

    /** Whether a consumer may prolong its locks. */
    public static final ConfigKey<Boolean> SHARE_RENEW_ENABLE = ConfigKey.ofBoolean(
            "share.renew.acknowledge.enable",
            true,
            Scope.DYNAMIC,
            "Whether consumers of this share group may prolong the locks of their records.");

    /** Milliseconds without a heartbeat after which a member of this share group is removed. */
    public static final ConfigKey<Integer> SHARE_SESSION_MS = ConfigKey.ofInt(
            "share.session.timeout.ms",
            45_000,
            1,
            Integer.MAX_VALUE,
            Scope.DYNAMIC,
            "Milliseconds without a heartbeat after which a member of this share group is removed.");

    /** Whether dead letters hold the record itself. */
    public static final ConfigKey<Boolean> DEAD_LETTER_COPY = ConfigKey.ofBoolean(
            "errors.deadletterqueue.copy.record.enable",
            false,
            Scope.DYNAMIC,
            "Whether a dead letter of this share group holds the record's key and value, beside the headers that say where it"
                    + " was and what became of it.");

    /** Where dead letters go. */
    public static final ConfigKey<String> DEAD_LETTER_TOPIC = ConfigKey.ofString(
            "errors.deadletterqueue.topic.name",
            "",
            Scope.DYNAMIC,
            "Topic that this share group sends the records to that it has given up (KIP-1191); empty for none. The topic must"
                    + " have errors.deadletterqueue.group.enable set.");

    /** All of them. */
    public static final ConfigSchema SCHEMA = ConfigSchema.of(withStreams(
            CONSUMER_ASSIGNMENT_INTERVAL_MS,
            CONSUMER_HEARTBEAT_MS,
            CONSUMER_SESSION_MS,
            DEAD_LETTER_COPY,
            DEAD_LETTER_TOPIC,
            SHARE_ASSIGNMENT_INTERVAL_MS,
            SHARE_AUTO_OFFSET_RESET,
            SHARE_DELIVERY_COUNT_LIMIT,
            SHARE_HEARTBEAT_MS,
            SHARE_ISOLATION_LEVEL,
            SHARE_MAX_RECORD_LOCKS,
            SHARE_LOCK_DURATION_MS,
            SHARE_RENEW_ENABLE,
            SHARE_SESSION_MS));

    private static final String BY_DURATION = "by_duration:";

    private GroupResourceKeys() {}

    /** The node's name for the same thing. */
    public static String brokerKey(String groupKey) {
        return groupKey.equals(StreamsResourceKeys.ASSIGNOR.name())
                ? StreamsGroupKeys.ASSIGNORS.name()
                : "group." + groupKey;
    }

    /**
     * Checks what is to be set on a group.
     *
     * @param node the node's settings, which limit it
     * @throws ConfigException for the first value not allowed
     */
    public static void require(Map<String, String> texts, ConfigValues node) {
        ConfigValues values = SCHEMA.read(texts);
        requireConsumer(values, node);
        requireShare(values, node);
        StreamsResourceKeys.require(values, node);
    }

    private static List<ConfigKey<?>> withStreams(ConfigKey<?>... others) {
        List<ConfigKey<?>> all = new ArrayList<>(List.of(others));
        all.addAll(StreamsResourceKeys.ALL);
        return all;
    }

    private static void requireConsumer(ConfigValues values, ConfigValues node) {
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
        requireLonger(CONSUMER_SESSION_MS, session, CONSUMER_HEARTBEAT_MS, heartbeat);
    }

    private static void requireShare(ConfigValues values, ConfigValues node) {
        within(
                values,
                SHARE_ASSIGNMENT_INTERVAL_MS,
                node.get(ShareGroupKeys.MIN_ASSIGNMENT_INTERVAL_MS),
                node.get(ShareGroupKeys.MAX_ASSIGNMENT_INTERVAL_MS),
                node.get(ShareGroupKeys.ASSIGNMENT_INTERVAL_MS));
        within(
                values,
                SHARE_DELIVERY_COUNT_LIMIT,
                node.get(ShareGroupKeys.MIN_DELIVERY_COUNT_LIMIT),
                node.get(ShareGroupKeys.MAX_DELIVERY_COUNT_LIMIT),
                node.get(ShareGroupKeys.DELIVERY_COUNT_LIMIT));
        within(
                values,
                SHARE_LOCK_DURATION_MS,
                node.get(ShareGroupKeys.MIN_LOCK_DURATION_MS),
                node.get(ShareGroupKeys.MAX_LOCK_DURATION_MS),
                node.get(ShareGroupKeys.LOCK_DURATION_MS));
        within(
                values,
                SHARE_MAX_RECORD_LOCKS,
                node.get(ShareGroupKeys.MIN_MAX_RECORD_LOCKS),
                node.get(ShareGroupKeys.MAX_MAX_RECORD_LOCKS),
                node.get(ShareGroupKeys.MAX_RECORD_LOCKS));
        int heartbeat = within(
                values,
                SHARE_HEARTBEAT_MS,
                node.get(ShareGroupKeys.MIN_HEARTBEAT_MS),
                node.get(ShareGroupKeys.MAX_HEARTBEAT_MS),
                node.get(ShareGroupKeys.HEARTBEAT_MS));
        int session = within(
                values,
                SHARE_SESSION_MS,
                node.get(ShareGroupKeys.MIN_SESSION_MS),
                node.get(ShareGroupKeys.MAX_SESSION_MS),
                node.get(ShareGroupKeys.SESSION_MS));
        requireLonger(SHARE_SESSION_MS, session, SHARE_HEARTBEAT_MS, heartbeat);
        requireReset(values.get(SHARE_AUTO_OFFSET_RESET));
        requireDeadLetterTopic(values.get(DEAD_LETTER_TOPIC), node.get(ShareGroupKeys.DEAD_LETTER_PREFIX));
    }

    private static void requireDeadLetterTopic(String name, String prefix) {
        if (!name.isEmpty() && !isDeadLetterTopic(name, prefix)) {
            throw new ConfigException("Invalid value '" + name + "' for " + DEAD_LETTER_TOPIC.name()
                    + ": it must be the name of a topic that begins with '" + prefix + "', which "
                    + ShareGroupKeys.DEAD_LETTER_PREFIX.name() + " demands, and not with '__'.");
        }
    }

    /** Whether a topic of this name may take dead letters. */
    public static boolean isDeadLetterTopic(String name, String prefix) {
        return name.startsWith(prefix) && !name.startsWith("__") && TopicNames.fault(name) == null;
    }

    /**
     * Checks a list of client tags.
     *
     * @throws ConfigException where one is in it twice
     */
    public static void requireDistinct(ConfigKey<List<String>> key, List<String> tags) {
        if (new HashSet<>(tags).size() < tags.size()) {
            throw new ConfigException("Invalid value '" + String.join(",", tags) + "' for " + key.name()
                    + ": it must not have a tag twice.");
        }
    }

    static void requireLonger(
            ConfigKey<Integer> session, int sessionMillis, ConfigKey<Integer> heartbeat, int heartbeatMillis) {
        if (sessionMillis <= heartbeatMillis) {
            throw new ConfigException(session.name() + " (" + sessionMillis + ") must be greater than "
                    + heartbeat.name() + " (" + heartbeatMillis + ").");
        }
    }

    private static void requireReset(String text) {
        if (!text.equals("latest") && !text.equals("earliest") && resetDuration(text) == null) {
            throw new ConfigException("Invalid value '" + text + "' for " + SHARE_AUTO_OFFSET_RESET.name()
                    + ": allowed are latest, earliest, and by_duration: with an ISO 8601 duration that is not negative, such"
                    + " as by_duration:PT1H.");
        }
    }

    /** How far back a share group begins that was told so in {@link #SHARE_AUTO_OFFSET_RESET}; null where it was not. */
    public static @Nullable Duration resetDuration(String text) {
        if (!text.startsWith(BY_DURATION)) {
            return null;
        }
        try {
            Duration duration = Duration.parse(text.substring(BY_DURATION.length()));
            return duration.isNegative() ? null : duration;
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** The value in force: the group's own, which must be within the node's limits, or the node's. */
    static int within(ConfigValues values, ConfigKey<Integer> key, int min, int max, int inherited) {
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
