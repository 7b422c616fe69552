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

    /** Keeps what ApiVersions v3 gave. */
    void identify(String softwareName, String softwareVersion);

    /** Notes that the client used a topic, for the list of clients; only the last few are kept. Cheap when repeated. */
    void noteTopic(String topicName);

    /** Registers something to run on the event loop when the connection closes; runs at once if it has. */
    void onClose(Runnable task);
}
