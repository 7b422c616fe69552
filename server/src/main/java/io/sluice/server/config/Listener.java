package io.sluice.server.config;

import io.sluice.base.config.ConfigException;
import io.sluice.storage.config.ListenerKeys;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A named address: where the node listens, or what clients are told.
 *
 * @param name such as PLAINTEXT
 * @param host name or address, IPv6 without brackets
 * @param port 0 to 65535; 0 lets the system choose
 */
public record Listener(String name, String host, int port) {
    private static final int MAX_PORT = 65_535;

    /**
     * Reads {@code NAME://HOST:PORT}, an IPv6 address in brackets.
     *
     * @param key what to name in a message
     */
    public static Listener parse(String key, String text) {
        int scheme = text.indexOf("://");
        if (scheme < 1) {
            throw invalid(key, text, "allowed is NAME://HOST:PORT, such as PLAINTEXT://127.0.0.1:9092");
        }
        String name = text.substring(0, scheme).toUpperCase(Locale.ROOT);
        String address = text.substring(scheme + 3);
        int colon = address.lastIndexOf(':');
        if (colon < 0 || address.endsWith("]")) {
            throw invalid(key, text, "the port is missing");
        }
        return new Listener(
                name, host(key, text, address.substring(0, colon)), port(key, text, address.substring(colon + 1)));
    }

    /**
     * The listeners as configured, the first with another host or port.
     *
     * @param configured a list separated by commas
     * @param host with or without brackets if it is an IPv6 address; null leaves it as it is
     * @param port null leaves it as it is
     */
    public static String override(String configured, @Nullable String host, @Nullable Integer port) {
        String[] listeners = configured.split(",", -1);
        Listener first = parse(ListenerKeys.LISTENERS.name(), listeners[0].strip());
        boolean bracketed = host != null && host.startsWith("[") && host.endsWith("]");
        String newHost = host == null ? first.host : bracketed ? host.substring(1, host.length() - 1) : host;
        listeners[0] = new Listener(first.name, newHost, port == null ? first.port : port).toString();
        return String.join(",", listeners);
    }

    private static String host(String key, String text, String host) {
        if (host.startsWith("[") && host.endsWith("]")) {
            return host.substring(1, host.length() - 1);
        }
        if (host.contains(":")) {
            throw invalid(key, text, "an IPv6 address stands in brackets, as in PLAINTEXT://[::1]:9092");
        }
        // Kafka's way of saying "every interface".
        return host.isEmpty() ? "0.0.0.0" : host;
    }

    private static int port(String key, String text, String port) {
        int number;
        try {
            number = Integer.parseInt(port);
        } catch (NumberFormatException e) {
            throw new ConfigException(key, message(key, text, "the port must be a number from 0 to " + MAX_PORT), e);
        }
        if (number < 0 || number > MAX_PORT) {
            throw invalid(key, text, "the port must be from 0 to " + MAX_PORT);
        }
        return number;
    }

    private static ConfigException invalid(String key, String text, String rule) {
        return new ConfigException(key, message(key, text, rule), null);
    }

    private static String message(String key, String text, String rule) {
        return "Invalid value '" + text + "' for " + key + ": " + rule + ".";
    }

    /** Host and port, an IPv6 address in brackets. */
    public String address() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    @Override
    public String toString() {
        return name + "://" + address();
    }
}
