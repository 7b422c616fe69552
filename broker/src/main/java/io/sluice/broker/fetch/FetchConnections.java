package io.sluice.broker.fetch;

import io.sluice.broker.api.Connection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What must end with a connection: the fetch that waits on it, of which there is at most one, and the sessions begun on
 * it. One entry for each open connection that has fetched. Safe on every thread; an entry belongs to its event loop.
 */
final class FetchConnections {
    private final Map<Long, Entry> entries = new ConcurrentHashMap<>();
    private final Consumer<FetchSession> closeSession;

    /**
     * No connection yet.
     *
     * @param closeSession closes a session, if it is kept still
     */
    FetchConnections(Consumer<FetchSession> closeSession) {
        this.closeSession = closeSession;
    }

    /** The entry of a connection. */
    Entry of(Connection connection) {
        Entry known = entries.get(connection.id());
        if (known != null) {
            return known;
        }
        Entry entry = new Entry(closeSession);
        entries.put(connection.id(), entry);
        connection.onClose(() -> {
            entries.remove(connection.id());
            entry.close();
        });
        return entry;
    }

    /** Connections that have fetched and are open. */
    int size() {
        return entries.size();
    }

    /** Sessions that end with a connection, of all connections. */
    int sessions() {
        return entries.values().stream()
                .mapToInt(entry -> entry.sessions.size())
                .sum();
    }

    /** What hangs on one connection. */
    static final class Entry {
        private final Consumer<FetchSession> closeSession;
        /** Sessions begun here and not closed: others may close them, on threads of their own. */
        private final Set<FetchSession> sessions = ConcurrentHashMap.newKeySet();

        private volatile @Nullable PendingFetch fetch;
        private volatile boolean closed;

        private Entry(Consumer<FetchSession> closeSession) {
            this.closeSession = closeSession;
        }

        void begin(PendingFetch pending) {
            fetch = pending;
        }

        void end(PendingFetch pending) {
            if (fetch == pending) {
                fetch = null;
            }
        }

        boolean isClosed() {
            return closed;
        }

        void add(FetchSession session) {
            sessions.add(session);
        }

        /** The session was closed, or was not kept. */
        void remove(FetchSession session) {
            sessions.remove(session);
        }

        private void close() {
            closed = true;
            PendingFetch pending = fetch;
            if (pending != null) {
                pending.abandon();
            }
            sessions.forEach(closeSession);
        }
    }
}
