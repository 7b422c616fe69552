package io.sluice.coordinator.transaction;

import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.transaction.TransactionState;

/**
 * Everything known of one transactional id. Immutable: each transition gives another one, which is written, and then
 * replayed.
 *
 * <pre>
 *          .-----------------------------------------------------------.
 *          v                                                           |
 * (none) -> Empty -> Ongoing -> PrepareCommit -> CompleteCommit --------|
 *            |  ^       |  ^                      |                    |
 *            |  |       |  '----------------------|-- the next one     |
 *            |  |       v                         |                    |
 *            '--|--> PrepareAbort --> CompleteAbort --------------------'
 *               |
 *               '-- InitProducerId, from any state but the prepared ones; it first aborts what is ongoing
 * </pre>
 *
 * <p>A decision once prepared is carried out whatever happens; until then nothing else may be asked of the id. With clients
 * of the second generation (KIP-890) an abort is possible without a transaction too, since they do not know whether their
 * first batch has opened one. Ids expire in the states Empty and Complete.
 *
 * @param partitions that the transaction has touched; empty unless it is open
 * @param timeoutMillis how long a transaction may be open
 * @param startMillis when the transaction began, the last one where none is open, or -1
 * @param updatedMillis when this state was entered
 * @param clientVersion the generation of transactions (0 or 2) of the client that began or ended the transaction
 */
record IdState(
        ProducerIdentity producer,
        TransactionState status,
        Set<TopicPartition> partitions,
        int timeoutMillis,
        long startMillis,
        long updatedMillis,
        short clientVersion) {
    /** The first generation: clients add partitions themselves, the epoch stays. */
    static final short FIRST_GENERATION = 0;
    /** The second (KIP-890): the broker adds partitions, each end raises the epoch. */
    static final short SECOND_GENERATION = 2;

    private static final long NO_TIME = -1;

    /** Copies the partitions. */
    IdState {
        partitions = Set.copyOf(partitions);
    }

    /** Of an id that is new. */
    static IdState created(long producerId, int timeoutMillis, long nowMillis) {
        return new IdState(
                ProducerIdentity.first(producerId),
                TransactionState.EMPTY,
                Set.of(),
                timeoutMillis,
                NO_TIME,
                nowMillis,
                FIRST_GENERATION);
    }

    /** A producer has begun anew: no transaction is open. */
    IdState initialized(ProducerIdentity next, int newTimeoutMillis, long nowMillis) {
        return new IdState(next, TransactionState.EMPTY, Set.of(), newTimeoutMillis, NO_TIME, nowMillis, clientVersion);
    }

    /** The transaction has touched more partitions; it begins with the first. */
    IdState touching(Set<TopicPartition> added, long nowMillis, short version) {
        Set<TopicPartition> all = new HashSet<>(partitions);
        all.addAll(added);
        long start = status == TransactionState.ONGOING ? startMillis : nowMillis;
        return new IdState(producer.kept(), TransactionState.ONGOING, all, timeoutMillis, start, nowMillis, version);
    }

    /** It is decided how the transaction ends, by a client of the first generation. */
    IdState preparedSameEpoch(boolean commit, long nowMillis) {
        return prepared(producer.kept(), commit, nowMillis, FIRST_GENERATION);
    }

    /**
     * It is aborted by the coordinator, with the next epoch, so that its producer can write nothing more.
     *
     * @param known whether the producer may learn the next epoch if it asks again: not where another takes its place
     */
    IdState fenced(boolean known, long nowMillis) {
        if (producer.isFencedForGood()) {
            // By the mark of the first generation: one of the second would have to have a later epoch.
            return preparedSameEpoch(false, nowMillis);
        }
        short last = known ? producer.epoch() : ProducerIdentity.NO_EPOCH;
        return prepared(producer.raised(last, ProducerIdentity.NO_ID), false, nowMillis, SECOND_GENERATION);
    }

    /** Another producer id takes over, from its first epoch on, and nothing else changes. */
    IdState rotated(long newId, short last, long nowMillis) {
        return new IdState(
                producer.rotated(newId, last),
                status,
                partitions,
                timeoutMillis,
                startMillis,
                nowMillis,
                clientVersion);
    }

    /**
     * The same with the next epoch, by a client of the second generation.
     *
     * @param nextId the producer id to go on with where this epoch is the last, or -1
     */
    IdState preparedRaised(boolean commit, long nextId, long nowMillis) {
        return prepared(producer.raised(producer.epoch(), nextId), commit, nowMillis, SECOND_GENERATION);
    }

    private IdState prepared(ProducerIdentity next, boolean commit, long nowMillis, short version) {
        return new IdState(
                next,
                commit ? TransactionState.PREPARE_COMMIT : TransactionState.PREPARE_ABORT,
                partitions,
                timeoutMillis,
                status == TransactionState.ONGOING ? startMillis : nowMillis,
                nowMillis,
                version);
    }

    /** All markers of a prepared one are written. */
    IdState completed(long nowMillis) {
        boolean rotates = clientVersion >= SECOND_GENERATION && producer.nextId() != ProducerIdentity.NO_ID;
        ProducerIdentity next = rotates ? producer.rotated(producer.nextId(), producer.lastEpoch()) : producer.kept();
        return new IdState(
                next,
                commits() ? TransactionState.COMPLETE_COMMIT : TransactionState.COMPLETE_ABORT,
                Set.of(),
                timeoutMillis,
                startMillis,
                nowMillis,
                clientVersion);
    }

    boolean commits() {
        return status == TransactionState.PREPARE_COMMIT;
    }

    boolean isOngoing() {
        return status == TransactionState.ONGOING;
    }

    boolean isPrepared() {
        return status == TransactionState.PREPARE_COMMIT || status == TransactionState.PREPARE_ABORT;
    }

    /** Whether the transaction has been open for longer than its producer wanted. The longest time-out there is means never. */
    boolean isOverdue(long nowMillis) {
        return isOngoing() && timeoutMillis != Integer.MAX_VALUE && startMillis + timeoutMillis < nowMillis;
    }

    /** Whether nobody has used the id for so long. */
    boolean isExpired(long nowMillis, long expirationMillis) {
        return status.isExpirationAllowed() && updatedMillis <= nowMillis - expirationMillis;
    }
}
