package io.sluice.broker.api;

import java.net.InetSocketAddress;

/** The client at the other end, as handlers see it. Safe on every thread. */
public interface Connection {
    /** Unique in this process run. */
    long id();

    /** Where it comes from. */
    InetSocketAddress remoteAddress();

    /** Name of the listener it came in through. */
    String listenerName();

    /** Name that ApiVersions v3 gave, "" before. */
    String clientSoftwareName();

    /** Version that ApiVersions v3 gave, "" before. */
    String clientSoftwareVersion();

    /** Registers something to run on the event loop when the connection closes; runs at once if it has. */
    void onClose(Runnable task);
}
