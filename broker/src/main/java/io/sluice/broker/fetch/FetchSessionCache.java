package io.sluice.broker.fetch;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions kept between requests, a bounded number with a bounded number of partitions. A new session finds room by the
 * rules of KIP-227: in place of the one unused longest if that is for two minutes, else in place of the one with the fewest
 * partitions among those older than two minutes, if the new one has more. Safe on every thread; never called with a
 * session's monitor held.
 */
final class FetchSessionCache {
    /** How long a session is safe from others. */
    static final long SAFE_NANOS = TimeUnit.MINUTES.toNanos(2);

    /** Most partitions of all sessions together, whether they exist or not: some 50 MiB of heap. */
    static final int MAX_PARTITIONS = 250_000;

    private final int slots;
    private final IntSupplier randomIds;
    private final LongAdder evictions;

    /** In the order of use. */
    private final Map<Integer, FetchSession> sessions = new LinkedHashMap<>(16, 0.75f, true);

    private long partitions;

    /**
     * An empty cache.
     *
     * @param slots most sessions at once; 0 keeps none
     * @param randomIds numbers that a client cannot guess; those not above 0 or in use are skipped
     */
    FetchSessionCache(int slots, IntSupplier randomIds, Metrics metrics) {
        this.slots = slots;
        this.randomIds = randomIds;
        evictions = metrics.counter(Metric.FETCH_SESSION_EVICTIONS);
        metrics.gauge(Metric.FETCH_SESSIONS, this::size);
        metrics.gauge(Metric.FETCH_SESSION_PARTITIONS, this::partitions);
    }

    /**
     * Keeps a session if there is room, and numbers it.
     *
     * @param size how many partitions it has
     * @return the session given up for it, which the caller closes; null for none
     */
    synchronized @Nullable FetchSession add(FetchSession session, int size, long nowNanos) {
        FetchSession evicted = null;
        if (sessions.size() >= slots || partitions + size > MAX_PARTITIONS) {
            evicted = findEvictable(size, nowNanos);
            if (evicted == null || partitions - evicted.countedPartitions() + size > MAX_PARTITIONS) {
                return null;
            }
            take(evicted.id());
            evictions.increment();
        }
        int id = newId();
        session.setId(id);
        session.setCountedPartitions(size);
        sessions.put(id, session);
        partitions += size;
        return evicted;
    }

    private int newId() {
        while (true) {
            int id = randomIds.getAsInt();
            if (id > 0 && !sessions.containsKey(id)) {
                return id;
            }
        }
    }

    private @Nullable FetchSession findEvictable(int size, long nowNanos) {
        FetchSession smallest = null;
        for (FetchSession candidate : sessions.values()) {
            if (nowNanos - candidate.lastUsedNanos() > SAFE_NANOS) {
                return candidate;
            }
            boolean old = nowNanos - candidate.createdNanos() > SAFE_NANOS;
            int fewest = smallest == null ? size : smallest.countedPartitions();
            if (old && candidate.countedPartitions() < fewest) {
                smallest = candidate;
            }
        }
        return smallest;
    }

    /** A session by number. */
    synchronized @Nullable FetchSession find(int id) {
        return sessions.get(id);
    }

    /**
     * Notes that a session was used and how many partitions it has now.
     *
     * @return the session if it has become too large and was given up, which the caller closes; null if it is kept
     */
    synchronized @Nullable FetchSession touch(FetchSession session, int size, long nowNanos) {
        if (sessions.get(session.id()) != session) {
            return null;
        }
        if (size > session.countedPartitions() && partitions - session.countedPartitions() + size > MAX_PARTITIONS) {
            evictions.increment();
            return take(session.id());
        }
        partitions += size - session.countedPartitions();
        session.setCountedPartitions(size);
        session.setLastUsedNanos(nowNanos);
        return null;
    }

    /** Takes a session out, if it is there; the caller closes it. */
    synchronized @Nullable FetchSession take(int id) {
        FetchSession taken = sessions.remove(id);
        if (taken != null) {
            partitions -= taken.countedPartitions();
        }
        return taken;
    }

    /** Takes a session out, if it is there; the caller closes it. Its number may be another one's by now. */
    synchronized @Nullable FetchSession take(FetchSession session) {
        return sessions.get(session.id()) == session ? take(session.id()) : null;
    }

    synchronized int size() {
        return sessions.size();
    }

    synchronized long partitions() {
        return partitions;
    }
}
