package io.sluice.broker.fetch;

import io.sluice.broker.api.Connection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What must end with a connection: the fetch that waits on it, of which there is at most one, and the sessions begun on
 * it. One entry for each open connection that has fetched. Safe on every thread; an entry belongs to its event loop.
 */
final class FetchConnections {
    private final Map<Long, Entry> entries = new ConcurrentHashMap<>();
    private final IntConsumer closeSession;

    /**
     * No connection yet.
     *
     * @param closeSession closes a session by its number
     */
    FetchConnections(IntConsumer closeSession) {
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

    /** What hangs on one connection. */
    static final class Entry {
        private final IntConsumer closeSession;
        private final Set<Integer> sessionIds = new HashSet<>();
        private volatile @Nullable PendingFetch fetch;
        private volatile boolean closed;

        private Entry(IntConsumer closeSession) {
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

        void add(int sessionId) {
            sessionIds.add(sessionId);
        }

        private void close() {
            closed = true;
            PendingFetch pending = fetch;
            if (pending != null) {
                pending.abandon();
            }
            sessionIds.forEach(closeSession::accept);
            sessionIds.clear();
        }
    }
}
