package io.sluice.base.config;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A set of keys. Unknown keys are refused with the nearest known one. Immutable. */
public final class ConfigSchema {
    private final Map<String, ConfigKey<?>> keys;

    private ConfigSchema(Map<String, ConfigKey<?>> keys) {
        this.keys = keys;
    }

    /** The keys given, in that order. */
    public static ConfigSchema of(Collection<ConfigKey<?>> keys) {
        Map<String, ConfigKey<?>> byName = new LinkedHashMap<>();
        for (ConfigKey<?> key : keys) {
            if (byName.put(key.name(), key) != null) {
                throw new IllegalArgumentException("two keys are called " + key.name());
            }
        }
        return new ConfigSchema(byName);
    }

    /** All keys, in order. */
    public Collection<ConfigKey<?>> keys() {
        return keys.values();
    }

    /** A key by name, or null. */
    public @Nullable ConfigKey<?> find(String name) {
        return keys.get(name);
    }

    /**
     * Checks all values and keeps them.
     *
     * @throws ConfigException for the first unknown key or value not allowed
     */
    public ConfigValues read(Map<String, String> texts) {
        texts.forEach((name, text) -> require(name).parse(text));
        return new ConfigValues(texts);
    }

    private ConfigKey<?> require(String name) {
        ConfigKey<?> key = keys.get(name);
        if (key == null) {
            String nearest = nearest(name);
            throw new ConfigException(
                    name,
                    "Unknown configuration key '" + name + "'"
                            + (nearest == null ? "." : "; did you mean '" + nearest + "'?"),
                    null);
        }
        return key;
    }

    /** The known name that needs the fewest edits, if that is at most a third of the word. */
    public @Nullable String nearest(String name) {
        return nearest(name, keys.keySet());
    }

    /** The name among those that needs the fewest edits, if that is at most a third of the word. */
    public static @Nullable String nearest(String name, Collection<String> known) {
        String best = null;
        int bestDistance = Math.max(2, name.length() / 3) + 1;
        for (String candidate : known) {
            int distance = editDistance(name, candidate);
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return best;
    }

    private static int editDistance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        int[] current = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substituted = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(substituted, 1 + Math.min(previous[j], current[j - 1]));
            }
            int[] swap = previous;
            previous = current;
            current = swap;
        }
        return previous[b.length()];
    }
}
