package io.sluice.broker.directory;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The brokers that clients are told of, with the addresses to be told on each listener. Set when the listeners are bound.
 * Safe on every thread.
 */
public final class BrokerDirectory {
    private volatile List<Broker> brokers = List.of();

    /**
     * Where a broker is reached.
     *
     * @param host a name or an address, IPv6 without brackets
     */
    public record Address(String host, int port) {}

    /**
     * One broker.
     *
     * @param addresses by name of listener
     * @param rack where it stands, or null
     */
    public record Broker(
            int nodeId,
            Map<String, Address> addresses,
            @Nullable String rack) {
        /** Copies the addresses. */
        public Broker {
            addresses = Map.copyOf(addresses);
        }
    }

    /** Replaces what is told from now on. */
    public void set(List<Broker> now) {
        brokers = List.copyOf(now);
    }

    /** All brokers; the same list until {@link #set} is called again. */
    public List<Broker> brokers() {
        return brokers;
    }
}
