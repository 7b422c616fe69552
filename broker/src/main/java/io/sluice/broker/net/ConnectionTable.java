package io.sluice.broker.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** All connections that are open, and the bounds on their number. Safe on every thread. */
public final class ConnectionTable {
    private final int maxConnections;
    private final int maxPerAddress;
    private final AtomicLong nextId = new AtomicLong(1);
    private final Map<Long, ServerConnection> connections = new ConcurrentHashMap<>();
    private final Map<InetAddress, Integer> perAddress = new HashMap<>();
    private int admitted;

    ConnectionTable(int maxConnections, int maxPerAddress) {
        this.maxConnections = maxConnections;
        this.maxPerAddress = maxPerAddress;
    }

    /** What is open now, by id. */
    public List<ConnectionInfo> snapshot() {
        return connections.values().stream()
                .map(connection -> connection.peer().info())
                .sorted(Comparator.comparingLong(ConnectionInfo::id))
                .toList();
    }

    /** How many are open now. */
    public int size() {
        return connections.size();
    }

    /** How many are open on one listener. */
    int size(String listenerName) {
        int count = 0;
        for (ServerConnection connection : connections.values()) {
            count += connection.peer().listenerName().equals(listenerName) ? 1 : 0;
        }
        return count;
    }

    long nextId() {
        return nextId.getAndIncrement();
    }

    /** Counts a connection in, unless there are too many; {@link #remove} counts it out. */
    synchronized boolean admit(InetSocketAddress address) {
        int fromThere = perAddress.getOrDefault(address.getAddress(), 0);
        if (admitted >= maxConnections || fromThere >= maxPerAddress) {
            return false;
        }
        admitted++;
        perAddress.put(address.getAddress(), fromThere + 1);
        return true;
    }

    /** How many may be open, for messages. */
    String bounds() {
        return "at most " + maxConnections + ", " + maxPerAddress + " from one address";
    }

    private synchronized void release(InetSocketAddress address) {
        admitted--;
        perAddress.computeIfPresent(address.getAddress(), (same, count) -> count == 1 ? null : count - 1);
        notifyAll();
    }

    /** Adds a connection that was admitted. */
    void add(ServerConnection connection) {
        connections.put(connection.peer().id(), connection);
    }

    /** Forgets a connection that has closed, and counts it out. */
    void remove(ServerConnection connection) {
        connections.remove(connection.peer().id());
        release(connection.peer().remoteAddress());
    }

    /** Those open now. */
    Iterable<ServerConnection> all() {
        return connections.values();
    }

    /** Waits until no connection is open, at most so long; whether that came. */
    synchronized boolean awaitEmpty(long nanos) throws InterruptedException {
        long waited = 0;
        while (admitted > 0 && waited < nanos) {
            // Woken by every release; a bound on the number of slices bounds the wait without reading a clock.
            long slice = Math.min(nanos - waited, TimeUnit.MILLISECONDS.toNanos(10));
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(slice, 1_000_000));
            waited += slice;
        }
        return admitted == 0;
    }
}
