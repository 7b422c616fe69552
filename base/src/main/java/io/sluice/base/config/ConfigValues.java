package io.sluice.base.config;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Values that a schema has checked; what is not set reads as its default. Immutable. */
public final class ConfigValues {
    private final Map<String, String> texts;

    ConfigValues(Map<String, String> texts) {
        this.texts = Map.copyOf(texts);
    }

    /** The value of a key that has a default. */
    public <T> T get(ConfigKey<T> key) {
        return Objects.requireNonNull(find(key), key.name());
    }

    /** The value of a key, or null where it is neither set nor has a default. */
    public <T> @Nullable T find(ConfigKey<T> key) {
        String text = texts.getOrDefault(key.name(), key.defaultText());
        return text == null ? null : key.parse(text);
    }

    /** Whether the key was set, default or not. */
    public boolean isSet(ConfigKey<?> key) {
        return texts.containsKey(key.name());
    }

    /** What was set. */
    public Map<String, String> texts() {
        return texts;
    }
}
