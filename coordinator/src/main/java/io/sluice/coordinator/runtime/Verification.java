package io.sluice.coordinator.runtime;

import io.sluice.storage.log.PartitionLog;
import org.apache.kafka.common.protocol.Errors;

/**
 * The verification of a producer's batch in a partition's log (KIP-890). The log says at once that none is needed, or refuses
 * it; else the transaction's coordinator is asked, and the batch is appended with the {@linkplain #guard guard}:
 *
 * <pre>
 *   begun ── the log needs none ──────────────────────────► no guard
 *     │ ├─── the log refuses ─────────────────────────────► error
 *     │ └─── the coordinator is asked ── it vouches ──────► guard
 *     │                              └── it refuses ──────► error
 *     └◄──── a marker came meanwhile: begun anew
 * </pre>
 *
 * Used by one thread at a time.
 */
public final class Verification implements PatientVerifier.Begun {
    private final PartitionLog log;
    private final long producerId;
    private final short producerEpoch;
    private final int firstSequence;
    private final boolean adds;
    private long begun;

    /** Nothing is vouched for before there is an answer. */
    private Errors answer = Errors.NOT_COORDINATOR;

    /**
     * Begins in the log, or finds that one of the producer is begun there.
     *
     * @param firstSequence of the batch, -1 where it has none
     * @param adds whether the broker adds the partition to the transaction
     */
    public Verification(PartitionLog log, long producerId, short producerEpoch, int firstSequence, boolean adds) {
        this.log = log;
        this.producerId = producerId;
        this.producerEpoch = producerEpoch;
        this.firstSequence = firstSequence;
        this.adds = adds;
        this.begun = begin();
    }

    private long begin() {
        return log.beginVerification(producerId, producerEpoch, firstSequence, adds);
    }

    @Override
    public boolean beginAnew() {
        long before = begun;
        begun = begin();
        return begun != before && isOpen();
    }

    /** Whether it is for the coordinator to decide; else the log has done so. */
    public boolean isOpen() {
        return begun != PartitionLog.NO_GUARD && refusal() == Errors.NONE;
    }

    private Errors refusal() {
        if (begun == PartitionLog.TOO_MANY) {
            return Errors.NOT_ENOUGH_REPLICAS;
        }
        return begun == PartitionLog.STALE_EPOCH ? Errors.INVALID_PRODUCER_EPOCH : Errors.NONE;
    }

    /**
     * Takes the coordinator's answer; nothing where the log has decided meanwhile. What is refused for the moment is sent again, and
     * must then come before what was sent behind it: so that stays begun.
     *
     * @param error in the words of the client
     */
    public void settle(Errors error) {
        answer = error;
        if (isOpen() && error != Errors.NONE && !PatientVerifier.isPassing(error)) {
            log.endVerification(producerId, begun);
        }
    }

    /** Why the batch may not be appended, in the words of the client; NONE where it may. */
    public Errors error() {
        return isOpen() ? answer : refusal();
    }

    /** What to append the batch with; {@link PartitionLog#NO_GUARD} where nothing has to be verified. */
    public long guard() {
        return isOpen() ? begun : PartitionLog.NO_GUARD;
    }
}
