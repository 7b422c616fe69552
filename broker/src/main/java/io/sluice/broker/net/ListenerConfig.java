package io.sluice.broker.net;

/**
 * One address to listen on.
 *
 * @param name as in {@code listeners}, for instance PLAINTEXT
 * @param host what to bind to; "" or "0.0.0.0" for every address
 * @param port 0 lets the system choose
 * @param advertisedHost what clients are told to connect to
 * @param advertisedPort 0 stands for the port bound
 */
public record ListenerConfig(String name, String host, int port, String advertisedHost, int advertisedPort) {
    /** A listener that advertises what it binds to. */
    public static ListenerConfig of(String name, String host, int port) {
        return new ListenerConfig(name, host, port, host, 0);
    }
}
