package io.sluice.broker.net;

/**
 * A listener that accepts connections.
 *
 * @param name as configured
 * @param host what it is bound to
 * @param port what it is bound to, never 0
 * @param advertisedHost what clients are told
 * @param advertisedPort what clients are told, never 0
 */
public record BoundListener(String name, String host, int port, String advertisedHost, int advertisedPort) {
    static BoundListener of(ListenerConfig config, int boundPort) {
        int advertised = config.advertisedPort() == 0 ? boundPort : config.advertisedPort();
        return new BoundListener(config.name(), config.host(), boundPort, config.advertisedHost(), advertised);
    }
}
