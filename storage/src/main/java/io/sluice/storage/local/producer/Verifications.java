package io.sluice.storage.local.producer;

import io.sluice.storage.log.PartitionLog;
import java.util.HashMap;
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
    /** As many of one log at a time; {@link ProducerLimit} bounds those of all logs. */
    static final int MOST = 1_000;

    private final ProducerLimit limit;
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

    Verifications(ProducerLimit limit) {
        this.limit = limit;
    }

    /** The guard of the producer's verification, begun with this unless there is one; TOO_MANY where there is no room. */
    long begin(long producerId, short epoch, int firstSequence, boolean raisesEpoch, long nowMillis) {
        Verification known = find(producerId);
        if (known == null) {
            if (map().size() >= MOST || !limit.tryAddVerification()) {
                return PartitionLog.TOO_MANY;
            }
            known = new Verification(++lastGuard, raisesEpoch, nowMillis, epoch, firstSequence);
            map().put(producerId, known);
        } else if (epoch > known.epoch || (epoch == known.epoch && firstSequence < known.lowestSequence)) {
            known.epoch = epoch;
            known.lowestSequence = firstSequence;
        }
        return known.guard;
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
        if (byProducer != null && byProducer.remove(producerId) != null) {
            limit.onVerificationsGone(1);
            dropIfEmpty();
        }
    }

    /** The verification of this guard was refused. */
    void end(long producerId, long guard) {
        if (isCurrent(producerId, guard)) {
            end(producerId);
        }
    }

    private void dropIfEmpty() {
        if (byProducer != null && byProducer.isEmpty()) {
            byProducer = null;
        }
    }

    /** Forgets those begun before. */
    void expire(long beforeMillis) {
        if (byProducer != null) {
            int before = byProducer.size();
            byProducer.values().removeIf(verification -> verification.begunMillis < beforeMillis);
            limit.onVerificationsGone(before - byProducer.size());
            dropIfEmpty();
        }
    }

    void clear() {
        if (byProducer != null) {
            limit.onVerificationsGone(byProducer.size());
            byProducer = null;
        }
    }

    private @Nullable Verification find(long producerId) {
        return byProducer == null ? null : byProducer.get(producerId);
    }

    private Map<Long, Verification> map() {
        if (byProducer == null) {
            byProducer = new HashMap<>();
        }
        return byProducer;
    }
}
