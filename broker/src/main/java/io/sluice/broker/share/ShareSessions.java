package io.sluice.broker.share;

import io.sluice.broker.api.Connection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ShareRequestMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The share sessions of this node, a bounded number with a bounded number of partitions. A session ends when its member says so,
 * begins anew, or loses its connection: then what the member held is given to others. Safe on every thread; nobody is called
 * with the monitor held.
 */
final class ShareSessions {
    /** Most partitions of all sessions together. */
    static final int MAX_PARTITIONS = 250_000;

    private final int slots;
    private final SharePartitions partitions;
    private final Map<ShareSession.Key, ShareSession> sessions = new HashMap<>();
    private final Map<String, Integer> membersOfGroups = new HashMap<>();
    /** By connection; a connection has an entry from its first session until it closes. */
    private final Map<Long, Set<ShareSession>> sessionsOfConnections = new HashMap<>();

    private final AtomicLong numbers = new AtomicLong();
    private int parts;

    /**
     * None yet.
     *
     * @param slots most at a time ({@code group.share.max.share.sessions})
     */
    ShareSessions(int slots, SharePartitions partitions) {
        this.slots = slots;
        this.partitions = partitions;
    }

    /** What came of looking for a session. */
    record Found(@Nullable ShareSession session, Errors error) {
        static Found failed(Errors error) {
            return new Found(null, error);
        }
    }

    /** Begins one, in place of the member's former one. */
    Found begin(ShareSession.Key key, Connection connection) {
        ShareSession session = new ShareSession(key, connection.id(), numbers.incrementAndGet());
        ShareSession former;
        boolean room;
        boolean unwatched;
        synchronized (this) {
            former = sessions.get(key);
            if (former != null) {
                remove(former);
            }
            room = sessions.size() < slots && parts < MAX_PARTITIONS;
            unwatched = room && add(session);
        }
        if (unwatched) {
            connection.onClose(() -> onConnectionClosed(connection.id()));
        }
        if (former != null) {
            giveBack(former, true);
        }
        return room ? new Found(session, Errors.NONE) : Found.failed(Errors.SHARE_SESSION_LIMIT_REACHED);
    }

    /** Returns whether it is the first one of its connection. */
    private boolean add(ShareSession session) {
        sessions.put(session.key(), session);
        membersOfGroups.merge(session.key().groupId(), 1, Integer::sum);
        Set<ShareSession> ofConnection = sessionsOfConnections.get(session.connectionId());
        boolean first = ofConnection == null;
        if (ofConnection == null) {
            ofConnection = new HashSet<>();
            sessionsOfConnections.put(session.connectionId(), ofConnection);
        }
        ofConnection.add(session);
        return first;
    }

    /** The session that a request goes on with; its epoch is passed on. Another connection does not have it. */
    synchronized Found resume(ShareSession.Key key, int epoch, Connection connection) {
        ShareSession session = sessions.get(key);
        if (session == null || session.connectionId() != connection.id()) {
            return Found.failed(Errors.SHARE_SESSION_NOT_FOUND);
        }
        if (session.epoch() != epoch) {
            return Found.failed(Errors.INVALID_SHARE_SESSION_EPOCH);
        }
        session.nextEpoch();
        return new Found(session, Errors.NONE);
    }

    /** The session that a request ends, whatever its epoch. */
    synchronized Found last(ShareSession.Key key) {
        ShareSession session = sessions.get(key);
        return session == null ? Found.failed(Errors.SHARE_SESSION_NOT_FOUND) : new Found(session, Errors.NONE);
    }

    /**
     * Changes what it reads; what is both added and removed it does not read. Adds nothing more once there is no room.
     *
     * @return false where something was left out for want of room
     */
    synchronized boolean update(
            ShareSession session, Iterable<ShareSession.Part> added, Set<ShareSession.Part> removed) {
        if (sessions.get(session.key()) != session) {
            return true;
        }
        int others = parts - session.size();
        removed.forEach(session::remove);
        boolean room = true;
        Iterator<ShareSession.Part> rest = added.iterator();
        while (room && rest.hasNext()) {
            ShareSession.Part part = rest.next();
            room = removed.contains(part) || session.add(part, MAX_PARTITIONS - others);
        }
        parts = others + session.size();
        return room;
    }

    /** Begins a fetch: tells it the session's partitions in its order. It hears of the session's end from now on. */
    synchronized List<ShareSession.Part> begin(ShareSession session, PendingShareFetch fetch) {
        session.setCurrent(fetch);
        return session.rotated();
    }

    /**
     * Ends it, if it has not ended, and gives what the member holds to others.
     *
     * @param delivered whether the application may have seen the records
     */
    void end(ShareSession session, boolean delivered) {
        synchronized (this) {
            if (sessions.get(session.key()) != session) {
                return;
            }
            remove(session);
        }
        giveBack(session, delivered);
    }

    private void remove(ShareSession session) {
        sessions.remove(session.key());
        session.end();
        parts -= session.size();
        membersOfGroups.merge(session.key().groupId(), -1, (count, one) -> count + one == 0 ? null : count + one);
        Set<ShareSession> ofConnection = sessionsOfConnections.get(session.connectionId());
        if (ofConnection != null) {
            ofConnection.remove(session);
        }
    }

    private void giveBack(ShareSession ended, boolean delivered) {
        String groupId = ended.key().groupId();
        List<ShareSession.Part> all;
        PendingShareFetch fetch;
        synchronized (this) {
            fetch = ended.current();
            all = ended.all();
        }
        if (fetch != null) {
            fetch.supersede();
        }
        for (ShareSession.Part part : all) {
            ServedSharePartition partition = partitions.find(groupId, part.topicId(), part.partition());
            if (partition != null) {
                partition.records().release(ended.holder(), delivered);
            }
        }
        boolean last;
        synchronized (this) {
            last = !membersOfGroups.containsKey(groupId);
        }
        if (last) {
            partitions.forget(groupId);
        }
    }

    private void onConnectionClosed(long connectionId) {
        Set<ShareSession> ended;
        synchronized (this) {
            ended = sessionsOfConnections.remove(connectionId);
        }
        if (ended != null) {
            ended.forEach(session -> end(session, true));
        }
    }

    /** Whether an epoch begins a session. */
    static boolean begins(int epoch) {
        return epoch == ShareRequestMetadata.INITIAL_EPOCH;
    }

    /** Whether an epoch ends a session. */
    static boolean ends(int epoch) {
        return epoch == ShareRequestMetadata.FINAL_EPOCH;
    }
}
