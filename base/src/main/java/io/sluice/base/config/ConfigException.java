package io.sluice.base.config;

import org.jspecify.annotations.Nullable;

/** An unknown key or a value that is not allowed. The message is one line for the person who set it. */
public final class ConfigException extends RuntimeException {
    private final @Nullable String key;

    /** An error to show. */
    public ConfigException(String message) {
        this(null, message, null);
    }

    /** An error to show, with what caused it. */
    public ConfigException(String message, Throwable cause) {
        this(null, message, cause);
    }

    /**
     * An error of one key.
     *
     * @param key null where it is not one key's alone
     */
    public ConfigException(@Nullable String key, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.key = key;
    }

    /** The key that is unknown or has the wrong value; null where it is not one key's alone. */
    public @Nullable String key() {
        return key;
    }
}
