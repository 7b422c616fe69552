package io.sluice.broker.simulation;

import io.sluice.broker.api.Connection;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A connection that a test closes. */
public final class RecordingConnection implements Connection {
    private final long id;
    private final List<Runnable> closeTasks = new ArrayList<>();
    private final Set<String> topicsNoted = new LinkedHashSet<>();
    private boolean closed;

    /** An open one. */
    public RecordingConnection(long id) {
        this.id = id;
    }

    /** Closes it. */
    public void close() {
        closed = true;
        closeTasks.forEach(Runnable::run);
        closeTasks.clear();
    }

    /** How many tasks wait for the close. */
    public int closeTaskCount() {
        return closeTasks.size();
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return InetSocketAddress.createUnresolved("client", 1);
    }

    @Override
    public String listenerName() {
        return "PLAINTEXT";
    }

    @Override
    public String clientSoftwareName() {
        return "";
    }

    @Override
    public String clientSoftwareVersion() {
        return "";
    }

    @Override
    public void identify(String softwareName, String softwareVersion) {
        throw new UnsupportedOperationException("only ApiVersions does that");
    }

    @Override
    public void noteTopic(String topicName) {
        topicsNoted.add(topicName);
    }

    /** The topics that handlers noted. */
    public Set<String> topicsNoted() {
        return topicsNoted;
    }

    @Override
    public void onClose(Runnable task) {
        if (closed) {
            task.run();
        } else {
            closeTasks.add(task);
        }
    }
}
