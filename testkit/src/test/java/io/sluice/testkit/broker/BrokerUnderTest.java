package io.sluice.testkit.broker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A broker in a process of its own, one node, listening on loopback. {@link #close} ends it and deletes its data.
 * Belongs to one test thread.
 */
public interface BrokerUnderTest extends AutoCloseable {
    /** Kafka or Sluice. */
    BrokerKind kind();

    /** Where clients connect. The same after every restart. */
    InetSocketAddress address();

    /** Where its health and metrics are, over HTTP; a Kafka has none. */
    InetSocketAddress adminAddress();

    /** The address as HOST:PORT. */
    default String bootstrapServers() {
        return address().getAddress().getHostAddress() + ":" + address().getPort();
    }

    /** Process id of the broker itself. */
    long pid();

    /** Whether it runs. */
    boolean alive();

    /** Where its data is. */
    Path dataDirectory();

    /** Starts it again on the same data and port, after a kill or a stop, and waits until it is ready; returns how long that took. */
    Duration start() throws IOException, InterruptedException;

    /** kill -9; returns when the process is gone. */
    void kill9() throws InterruptedException;

    /** SIGTERM; returns when the process is gone, and how long that took. */
    Duration stop() throws InterruptedException;

    /** Sends a signal by name ("STOP", "CONT"). */
    void signal(String signal) throws IOException, InterruptedException;

    /** Where everything that it prints goes. */
    Path outputFile();

    /** The last lines that it printed. */
    String lastOutput();

    @Override
    void close() throws IOException;
}
