package io.sluice.storage.config;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigValues;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A subscription to clients' metrics (KIP-714), read from what is set on it. Immutable.
 *
 * @param metrics beginnings of names, {@link ClientMetricsKeys#ALL_METRICS} for all
 * @param intervalMs milliseconds between two pushes
 * @param match what a client must be: pattern of the whole by {@link #ATTRIBUTES name}; empty for every client
 */
public record ClientMetricsSubscription(List<String> metrics, int intervalMs, Map<String, Pattern> match) {
    /** What patterns can be about: the names that KIP-714 gives. */
    public static final List<String> ATTRIBUTES = List.of(
            "client_instance_id",
            "client_id",
            "client_software_name",
            "client_software_version",
            "client_source_address",
            "client_source_port");

    /** A pattern that is longer may need more stack than there is. */
    public static final int MAX_PATTERN_LENGTH = 1_000;

    /**
     * Reads and checks what is set.
     *
     * @throws ConfigException for the first thing that is wrong
     */
    public static ClientMetricsSubscription of(Map<String, String> texts) {
        ConfigValues values = ClientMetricsKeys.SCHEMA.read(texts);
        requireNoGaps(ClientMetricsKeys.METRICS, values);
        requireNoGaps(ClientMetricsKeys.MATCH, values);
        return new ClientMetricsSubscription(
                values.get(ClientMetricsKeys.METRICS).stream().distinct().toList(),
                values.get(ClientMetricsKeys.INTERVAL_MS),
                patterns(values.get(ClientMetricsKeys.MATCH)));
    }

    private static void requireNoGaps(ConfigKey<List<String>> key, ConfigValues values) {
        String text = values.texts().get(key.name());
        if (text == null || text.isBlank()) {
            return;
        }
        for (String word : text.split(",", -1)) {
            if (word.isBlank()) {
                throw new ConfigException("Invalid value '" + text + "' for " + key.name()
                        + ": there is nothing between two commas, or beside one.");
            }
        }
    }

    private static Map<String, Pattern> patterns(List<String> texts) {
        Map<String, Pattern> patterns = new HashMap<>();
        for (String text : texts) {
            // As Kafka does it: what is empty behind the last = is nothing, and there is one = only.
            String[] parts = text.split("=", 0);
            String name = parts.length == 0 ? "" : parts[0].trim();
            if (parts.length != 2 || !ATTRIBUTES.contains(name)) {
                throw illegal(
                        text,
                        "allowed is NAME=REGULAR EXPRESSION with one of the names " + String.join(", ", ATTRIBUTES)
                                + " and no other =");
            }
            patterns.put(name, compile(text, parts[1].trim()));
        }
        return Map.copyOf(patterns);
    }

    private static Pattern compile(String text, String pattern) {
        if (pattern.length() > MAX_PATTERN_LENGTH) {
            throw illegal(text, "a pattern may have " + MAX_PATTERN_LENGTH + " characters");
        }
        try {
            return Pattern.compile(pattern);
        } catch (PatternSyntaxException e) {
            throw illegal(text, "it is no regular expression: " + e.getDescription());
        }
    }

    private static ConfigException illegal(String text, String why) {
        return new ConfigException("Illegal client matching pattern '" + text + "': " + why + ".");
    }
}
