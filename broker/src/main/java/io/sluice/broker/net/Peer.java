package io.sluice.broker.net;

import io.sluice.broker.api.Connection;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What is known of the client at the other end of a connection. Safe on every thread; counters have one writer. */
final class Peer implements Connection {
    private static final int TOPICS_KEPT = 16;

    private final long id;
    private final InetSocketAddress remoteAddress;
    private final String listenerName;
    private final long sinceEpochMillis;
    private final Executor loop;
    private final AtomicLong bytesIn = new AtomicLong();
    private final AtomicLong bytesOut = new AtomicLong();
    private final AtomicLong requests = new AtomicLong();
    private final Deque<String> topics = new ArrayDeque<>();
    private volatile String latestTopic = "";
    private volatile String clientId = "";
    private volatile Software software = new Software("", "");
    private @Nullable List<Runnable> closeTasks = new ArrayList<>();

    private record Software(String name, String version) {}

    Peer(long id, InetSocketAddress remoteAddress, String listenerName, long sinceEpochMillis, Executor loop) {
        this.id = id;
        this.remoteAddress = remoteAddress;
        this.listenerName = listenerName;
        this.sinceEpochMillis = sinceEpochMillis;
        this.loop = loop;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public String listenerName() {
        return listenerName;
    }

    @Override
    public String clientSoftwareName() {
        return software.name;
    }

    @Override
    public String clientSoftwareVersion() {
        return software.version;
    }

    @Override
    public void identify(String softwareName, String softwareVersion) {
        software = new Software(softwareName, softwareVersion);
    }

    @Override
    public void noteTopic(String topicName) {
        if (latestTopic.equals(topicName)) {
            return;
        }
        latestTopic = topicName;
        synchronized (topics) {
            topics.remove(topicName);
            topics.addFirst(topicName);
            if (topics.size() > TOPICS_KEPT) {
                topics.removeLast();
            }
        }
    }

    @Override
    public void onClose(Runnable task) {
        synchronized (this) {
            if (closeTasks != null) {
                closeTasks.add(task);
                return;
            }
        }
        loop.execute(task);
    }

    /** The tasks to run now that the connection has closed; later ones run at once. */
    synchronized List<Runnable> takeCloseTasks() {
        List<Runnable> tasks = closeTasks == null ? List.of() : closeTasks;
        closeTasks = null;
        return tasks;
    }

    /** Bytes came in. */
    void received(int bytes) {
        bytesIn.lazySet(bytesIn.get() + bytes);
    }

    /** Bytes went out. */
    void sent(long bytes) {
        bytesOut.lazySet(bytesOut.get() + bytes);
    }

    /** A request was started. */
    void requested(String sentClientId) {
        requests.lazySet(requests.get() + 1);
        if (!clientId.equals(sentClientId)) {
            clientId = sentClientId;
        }
    }

    private String address() {
        InetAddress ip = remoteAddress.getAddress();
        String host = ip instanceof Inet6Address ? "[" + ip.getHostAddress() + "]" : ip.getHostAddress();
        return host + ":" + remoteAddress.getPort();
    }

    /** What an operator sees. */
    ConnectionInfo info() {
        Software said = software;
        List<String> used;
        synchronized (topics) {
            used = List.copyOf(topics);
        }
        return new ConnectionInfo(
                id,
                clientId,
                said.name,
                said.version,
                address(),
                listenerName,
                used,
                sinceEpochMillis,
                bytesIn.get(),
                bytesOut.get(),
                requests.get());
    }
}
