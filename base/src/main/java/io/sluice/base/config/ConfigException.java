package io.sluice.base.config;

/** An unknown key or a value that is not allowed. The message is one line for the person who set it. */
public final class ConfigException extends RuntimeException {
    /** An error to show. */
    public ConfigException(String message) {
        super(message);
    }

    /** An error to show, with what caused it. */
    public ConfigException(String message, Throwable cause) {
        super(message, cause);
    }
}
