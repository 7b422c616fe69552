package io.sluice.storage.config;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a topic inherits from the node: settings such as {@code log.retention.hours} stand behind {@code retention.ms}.
 * Immutable; a dynamic change of the node's settings makes a new one. Safe on every thread.
 */
public final class TopicDefaults {
    /** Nothing set on the node. */
    public static final TopicDefaults NONE = new TopicDefaults(Map.of());

    private static final String MIN_LAG = TopicConfigKeys.MIN_COMPACTION_LAG_MS.name();
    private static final String MAX_LAG = TopicConfigKeys.MAX_COMPACTION_LAG_MS.name();
    private static final Map<String, List<Synonym>> SYNONYMS = synonyms();
    private static final Map<String, List<String>> CHAINS = chains();

    private final Map<String, String> inherited;
    private final TopicConfig ownNothing;

    private TopicDefaults(Map<String, String> inherited) {
        this.inherited = inherited;
        this.ownNothing = TopicConfig.parse(inherited);
    }

    /**
     * A name of the node's settings that a topic's setting falls back to.
     *
     * @param brokerKey the node's name for it
     * @param millisPerUnit what to multiply a value of the node with, 1 for none
     */
    public record Synonym(String brokerKey, long millisPerUnit) {
        /**
         * The node's text in the unit of the topic's setting.
         *
         * @throws ConfigException if it is not a number
         */
        public String toTopicText(String brokerText) {
            if (millisPerUnit == 1) {
                return brokerText;
            }
            try {
                long value = Long.parseLong(brokerText.trim());
                return Long.toString(value < 0 ? value : Math.multiplyExact(value, millisPerUnit));
            } catch (NumberFormatException | ArithmeticException e) {
                throw new ConfigException(
                        "Invalid value '" + brokerText + "' for " + brokerKey + ": allowed is a whole number.", e);
            }
        }
    }

    /**
     * Derives the inherited settings from what is set on the node.
     *
     * @param brokerTexts what is set on the node, by Kafka's broker names, dynamic settings over static ones; other keys
     *     are ignored
     * @throws ConfigException for a value not allowed
     */
    public static TopicDefaults of(Map<String, String> brokerTexts) {
        Map<String, String> inherited = new HashMap<>();
        SYNONYMS.forEach((topicKey, synonyms) -> {
            String text = firstSet(synonyms, brokerTexts);
            if (text != null) {
                inherited.put(topicKey, text);
            }
        });
        return inherited.isEmpty() ? NONE : new TopicDefaults(Map.copyOf(inherited));
    }

    private static @Nullable String firstSet(List<Synonym> synonyms, Map<String, String> brokerTexts) {
        for (Synonym synonym : synonyms) {
            String text = brokerTexts.get(synonym.brokerKey());
            if (text != null) {
                return synonym.toTopicText(text);
            }
        }
        return null;
    }

    /** The node's names behind a topic's setting, the strongest first; empty where it has none. */
    public static List<Synonym> synonymsOf(String topicKey) {
        return SYNONYMS.getOrDefault(topicKey, List.of());
    }

    /**
     * All of the node's names that stand in for each other where one of them does, the strongest first: {@code
     * log.retention.minutes} belongs to {@code log.retention.ms}, itself and {@code log.retention.hours}.
     */
    public static List<String> chainOf(String brokerKey) {
        return CHAINS.getOrDefault(brokerKey, List.of(brokerKey));
    }

    private static Map<String, List<String>> chains() {
        Map<String, List<String>> chains = new HashMap<>();
        for (List<Synonym> synonyms : SYNONYMS.values()) {
            List<String> names = synonyms.stream().map(Synonym::brokerKey).toList();
            names.forEach(name -> chains.put(name, names));
        }
        return Map.copyOf(chains);
    }

    /** What topics inherit, by the topic's names. */
    public Map<String, String> inherited() {
        return inherited;
    }

    /**
     * The settings that a topic would have; the check of what somebody wants to set.
     *
     * @param own what is set on the topic itself
     * @throws ConfigException for an unknown key, a value not allowed, or two values that contradict each other
     */
    public TopicConfig topicConfig(Map<String, String> own) {
        if (own.isEmpty()) {
            return ownNothing;
        }
        Map<String, String> merged = new HashMap<>(inherited);
        merged.putAll(own);
        return TopicConfig.parse(merged);
    }

    /**
     * The settings that a topic is served with. Where what the topic has itself contradicts what it inherits, its own
     * value stands and the inherited one gives way to it: a node's file that was changed must not take a topic away. An
     * internal topic is on disk whatever is set.
     *
     * @param internal whether the topic belongs to the broker itself
     * @param own what is set on the topic itself
     * @throws ConfigException for an unknown key, a value not allowed, or two of its own that contradict each other
     */
    public TopicConfig effectiveConfig(boolean internal, Map<String, String> own) {
        String yielding = yielding(own);
        if (yielding == null && !internal) {
            return topicConfig(own);
        }
        Map<String, String> merged = new HashMap<>(own);
        if (internal) {
            merged.put(TopicConfigKeys.DURABILITY.name(), "disk");
        }
        if (yielding != null) {
            merged.put(yielding, yielding.equals(MIN_LAG) ? own.get(MAX_LAG) : own.get(MIN_LAG));
        }
        return topicConfig(merged);
    }

    /** The inherited setting that contradicts a topic's own ones, by the topic's name; null when there is none. */
    public @Nullable String yielding(Map<String, String> own) {
        boolean ownMin = own.containsKey(MIN_LAG);
        if (ownMin == own.containsKey(MAX_LAG)) {
            return null;
        }
        long min = lag(own, TopicConfigKeys.MIN_COMPACTION_LAG_MS);
        long max = lag(own, TopicConfigKeys.MAX_COMPACTION_LAG_MS);
        if (min <= max) {
            return null;
        }
        return ownMin ? MAX_LAG : MIN_LAG;
    }

    private long lag(Map<String, String> own, ConfigKey<Long> key) {
        String text = own.getOrDefault(key.name(), inherited.getOrDefault(key.name(), key.defaultText()));
        return key.parse(Objects.requireNonNull(text));
    }

    private static Map<String, List<Synonym>> synonyms() {
        Map<String, List<Synonym>> all = new HashMap<>();
        same(all, "cleanup.policy", "log.cleanup.policy");
        same(all, "compression.gzip.level", "compression.gzip.level");
        same(all, "compression.lz4.level", "compression.lz4.level");
        same(all, "compression.type", "compression.type");
        same(all, "compression.zstd.level", "compression.zstd.level");
        same(all, "delete.retention.ms", "log.cleaner.delete.retention.ms");
        same(all, "file.delete.delay.ms", "log.segment.delete.delay.ms");
        same(all, "flush.messages", "log.flush.interval.messages");
        same(all, "flush.ms", "log.flush.interval.ms");
        same(all, "index.interval.bytes", "log.index.interval.bytes");
        same(all, "max.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms");
        same(all, "max.decompressed.message.bytes", "max.decompressed.message.bytes");
        same(all, "max.message.bytes", "message.max.bytes");
        same(all, "message.timestamp.after.max.ms", "log.message.timestamp.after.max.ms");
        same(all, "message.timestamp.before.max.ms", "log.message.timestamp.before.max.ms");
        same(all, "message.timestamp.type", "log.message.timestamp.type");
        same(all, "min.cleanable.dirty.ratio", "log.cleaner.min.cleanable.ratio");
        same(all, "min.compaction.lag.ms", "log.cleaner.min.compaction.lag.ms");
        same(all, "min.insync.replicas", "min.insync.replicas");
        same(all, "preallocate", "log.preallocate");
        same(all, "retention.bytes", "log.retention.bytes");
        same(all, "segment.bytes", "log.segment.bytes");
        same(all, "segment.index.bytes", "log.index.size.max.bytes");
        same(all, "sluice.durability", "sluice.durability");
        same(all, "unclean.leader.election.enable", "unclean.leader.election.enable");
        long hour = TimeUnit.HOURS.toMillis(1);
        all.put(
                "retention.ms",
                List.of(
                        new Synonym("log.retention.ms", 1),
                        new Synonym("log.retention.minutes", TimeUnit.MINUTES.toMillis(1)),
                        new Synonym("log.retention.hours", hour)));
        all.put("segment.ms", List.of(new Synonym("log.roll.ms", 1), new Synonym("log.roll.hours", hour)));
        all.put(
                "segment.jitter.ms",
                List.of(new Synonym("log.roll.jitter.ms", 1), new Synonym("log.roll.jitter.hours", hour)));
        return Map.copyOf(all);
    }

    private static void same(Map<String, List<Synonym>> all, String topicKey, String brokerKey) {
        all.put(topicKey, List.of(new Synonym(brokerKey, 1)));
    }
}
