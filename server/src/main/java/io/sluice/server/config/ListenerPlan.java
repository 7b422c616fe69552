package io.sluice.server.config;

import io.sluice.base.config.ConfigException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a node listens and what it tells clients, checked against each other.
 *
 * @param endpoints in the order of {@code listeners}
 */
public record ListenerPlan(List<Endpoint> endpoints) {
    private static final String LISTENERS = "listeners";
    private static final String ADVERTISED = "advertised.listeners";
    private static final String PLAINTEXT = "PLAINTEXT";

    /** Copies the list. */
    public ListenerPlan {
        endpoints = List.copyOf(endpoints);
    }

    /**
     * One listener.
     *
     * @param bind where it listens
     * @param advertised what clients are told; null means the bound address, with the port the system chose
     * @param openToOthers whether other machines can reach it, without any authentication
     */
    public record Endpoint(Listener bind, @Nullable Listener advertised, boolean openToOthers) {
        /** Host that clients are told. */
        public String advertisedHost() {
            return advertised == null ? bind.host() : advertised.host();
        }

        /** Port that clients are told, given the one that was bound. */
        public int advertisedPort(int boundPort) {
            return advertised == null ? boundPort : advertised.port();
        }
    }

    /**
     * Checks both settings.
     *
     * @param localAddresses this machine's addresses, asked for only to name them in a message
     */
    public static ListenerPlan of(
            List<String> listeners, List<String> advertised, Supplier<List<String>> localAddresses) {
        Map<String, Listener> advertisedByName = new LinkedHashMap<>();
        for (String text : advertised) {
            Listener listener = Listener.parse(ADVERTISED, text);
            requireConnectable(text, listener);
            advertisedByName.put(listener.name(), listener);
        }
        if (listeners.isEmpty()) {
            throw new ConfigException(
                    LISTENERS,
                    "Invalid value '' for " + LISTENERS + ": give at least one, such as PLAINTEXT://127.0.0.1:9092.",
                    null);
        }
        Set<String> names = new HashSet<>();
        List<Endpoint> endpoints = new ArrayList<>();
        for (String text : listeners) {
            Listener bind = Listener.parse(LISTENERS, text);
            requireKnown(text, bind, names);
            Listener told = advertisedByName.remove(bind.name());
            InetAddress address = resolve(LISTENERS, text, bind.host());
            if (address.isAnyLocalAddress() && told == null) {
                throw new ConfigException(
                        LISTENERS,
                        "The listener " + text
                                + " takes connections on every address, so clients must be told which one"
                                + " to use: set " + ADVERTISED + " (or --advertise HOST:PORT). This machine has "
                                + String.join(", ", localAddresses.get()) + ".",
                        null);
            }
            endpoints.add(new Endpoint(bind, told, !address.isLoopbackAddress()));
        }
        if (!advertisedByName.isEmpty()) {
            throw new ConfigException(
                    ADVERTISED,
                    ADVERTISED + " names " + String.join(", ", advertisedByName.keySet()) + ", but " + LISTENERS
                            + " has no such listener.",
                    null);
        }
        return new ListenerPlan(endpoints);
    }

    /** Refuses listeners of a kind that there is not; whether one can listen there is not asked. */
    public static void requireKinds(List<String> listeners) {
        for (String text : listeners) {
            requireKind(text, Listener.parse(LISTENERS, text));
        }
    }

    private static void requireKnown(String text, Listener bind, Set<String> names) {
        requireKind(text, bind);
        if (!names.add(bind.name())) {
            throw new ConfigException(LISTENERS, LISTENERS + " has two listeners called " + bind.name() + ".", null);
        }
    }

    private static void requireKind(String text, Listener bind) {
        if (!bind.name().equals(PLAINTEXT)) {
            throw new ConfigException(
                    LISTENERS,
                    "Invalid value '" + text + "' for " + LISTENERS + ": the only kind of listener is " + PLAINTEXT
                            + "://HOST:PORT.",
                    null);
        }
    }

    private static void requireConnectable(String text, Listener advertised) {
        if (resolvesToAny(advertised.host())) {
            throw new ConfigException(
                    ADVERTISED,
                    "Invalid value '" + text + "' for " + ADVERTISED
                            + ": no client can connect to an address that stands for all.",
                    null);
        }
        if (advertised.port() == 0) {
            throw new ConfigException(
                    ADVERTISED,
                    "Invalid value '" + text + "' for " + ADVERTISED
                            + ": clients must be told a port, from 1 to 65535.",
                    null);
        }
    }

    private static boolean resolvesToAny(String host) {
        return host.equals("0.0.0.0") || host.equals("::") || host.equals("0:0:0:0:0:0:0:0");
    }

    /** The address of a host that this machine is to listen on. */
    static InetAddress resolve(String key, String text, String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new ConfigException(
                    key, "Invalid value '" + text + "' for " + key + ": this machine knows no host '" + host + "'.", e);
        }
    }
}
