package io.sluice.storage.local.producer;

import io.sluice.storage.log.PartitionLog;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Producers whose transaction is being verified with its coordinator before their first batch is taken (KIP-890). A guard
 * says which verification a batch was verified by: a marker, or data, that came in between has made it worthless, so that a
 * batch that was late cannot begin a transaction nobody will end.
 *
 * <p>The lowest sequence number that was seen is kept until the producer's data is in the log: where that batch has to be
 * sent again, later ones must not get in before it. For the thread that holds the log's append lock. Not kept over a restart.
 */
final class Verifications {
    /** As many at a time; the one begun longest ago is forgotten, and its batch refused. */
    static final int MOST = 1_000;

    private @Nullable Map<Long, Verification> byProducer;
    private long lastGuard = PartitionLog.NO_GUARD;

    private static final class Verification {
        final long guard;
        final boolean raisesEpoch;
        final long begunMillis;
        short epoch;
        int lowestSequence;

        Verification(long guard, boolean raisesEpoch, long begunMillis, short epoch, int lowestSequence) {
            this.guard = guard;
            this.raisesEpoch = raisesEpoch;
            this.begunMillis = begunMillis;
            this.epoch = epoch;
            this.lowestSequence = lowestSequence;
        }
    }

    /** The guard of the producer's verification, begun with this unless there is one. */
    long begin(long producerId, short epoch, int firstSequence, boolean raisesEpoch, long nowMillis) {
        Map<Long, Verification> all = map();
        Verification known = all.get(producerId);
        if (known == null) {
            makeRoom(all);
            known = new Verification(++lastGuard, raisesEpoch, nowMillis, epoch, firstSequence);
            all.put(producerId, known);
        } else if (epoch > known.epoch || (epoch == known.epoch && firstSequence < known.lowestSequence)) {
            known.epoch = epoch;
            known.lowestSequence = firstSequence;
        }
        return known.guard;
    }

    private static void makeRoom(Map<Long, Verification> all) {
        if (all.size() >= MOST) {
            Iterator<Long> oldest = all.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Whether this is the guard of the producer's verification now. */
    boolean isCurrent(long producerId, long guard) {
        Verification known = find(producerId);
        return known != null && known.guard == guard;
    }

    /** The lowest sequence number seen while it was verified, or the largest there is. */
    int lowestSequence(long producerId) {
        Verification known = find(producerId);
        return known == null ? Integer.MAX_VALUE : known.lowestSequence;
    }

    /** Whether the producer's epoch is raised with each transaction, so that each begins with sequence 0. */
    boolean raisesEpoch(long producerId) {
        Verification known = find(producerId);
        return known != null && known.raisesEpoch;
    }

    /** The producer's data, or a marker, has its place. */
    void end(long producerId) {
        if (byProducer != null) {
            byProducer.remove(producerId);
            if (byProducer.isEmpty()) {
                byProducer = null;
            }
        }
    }

    /** Forgets those begun before. */
    void expire(long beforeMillis) {
        if (byProducer != null) {
            byProducer.values().removeIf(verification -> verification.begunMillis < beforeMillis);
        }
    }

    void clear() {
        byProducer = null;
    }

    private @Nullable Verification find(long producerId) {
        return byProducer == null ? null : byProducer.get(producerId);
    }

    private Map<Long, Verification> map() {
        if (byProducer == null) {
            byProducer = new LinkedHashMap<>();
        }
        return byProducer;
    }
}
