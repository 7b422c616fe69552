package io.sluice.coordinator.transaction;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorShard;
import org.apache.kafka.coordinator.common.runtime.CoordinatorTimer;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogKey;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogValue;
import org.apache.kafka.timeline.SnapshotRegistry;
import org.apache.kafka.timeline.TimelineHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The transactional ids of one partition of {@code __transaction_state}. A request gives the records to write and the answer;
 * only {@link #replay} changes anything, and the runtime takes back what could not be written. Answers go out when all that
 * they rest on is durable, also those of requests that write nothing.
 *
 * <p>Threads: the coordinator's, all of it.
 */
final class TransactionShard implements CoordinatorShard<CoordinatorRecord> {
    /** Most transactions that are aborted, or ids that are forgotten, in one turn of the thread. */
    static final int SWEEP_LIMIT = 500;

    private static final String ABORT_TIMER = "abort-overdue-transactions";
    private static final String REMOVE_TIMER = "remove-expired-ids";
    private static final long NEXT_TURN_MILLIS = 1;

    private final TopicPartition partition;
    private final TransactionSettings settings;
    private final Time time;
    private final CoordinatorTimer<CoordinatorRecord> timer;
    private final Listener listener;
    private final OpenTransactions openTransactions;
    private final OpenTransactions.Counts counts;
    private final TimelineHashMap<String, IdState> ids;

    /** Hears, on the coordinator's thread, of what has to be done outside. Must not block. */
    interface Listener {
        /** The partition is loaded and serves. */
        void onLoaded(TopicPartition partition);

        /**
         * A decision is being written.
         *
         * @param durable completes when it is durable; where it fails the decision may be, or may not be
         */
        void onPrepared(
                TopicPartition partition, String transactionalId, IdState prepared, CompletableFuture<Void> durable);

        /** Transactions are aborted because their time is over. */
        void onOverdue(int transactions);
    }

    /** What the runtime gives to each shard. */
    record Surroundings(
            TopicPartition partition,
            Time time,
            CoordinatorTimer<CoordinatorRecord> timer,
            SnapshotRegistry snapshots) {}

    TransactionShard(
            Surroundings surroundings,
            TransactionSettings settings,
            Listener listener,
            OpenTransactions openTransactions) {
        this.partition = surroundings.partition();
        this.time = surroundings.time();
        this.timer = surroundings.timer();
        this.settings = settings;
        this.listener = listener;
        this.openTransactions = openTransactions;
        this.counts = openTransactions.newMetricsShard(surroundings.snapshots(), partition);
        this.ids = new TimelineHashMap<>(surroundings.snapshots(), 0);
    }

    @Override
    public void onLoaded(CoordinatorMetadataImage image) {
        openTransactions.activateMetricsShard(counts);
        scheduleAbort(settings.abortIntervalMillis());
        scheduleRemove(settings.removeIntervalMillis());
        listener.onLoaded(partition);
    }

    @Override
    public void onUnloaded() {
        openTransactions.deactivateMetricsShard(counts);
    }

    @Override
    public void replay(long offset, long producerId, short producerEpoch, CoordinatorRecord record) {
        String id = ((TransactionLogKey) record.key()).transactionalId();
        IdState before = ids.get(id);
        IdState after = record.value() == null
                ? null
                : TransactionRecords.read((TransactionLogValue) record.value().message());
        if (after == null) {
            ids.remove(id);
        } else {
            ids.put(id, after);
        }
        counts.onChange(before, after);
    }

    CoordinatorResult<ProducerAnswer, CoordinatorRecord> initProducerId(
            String id, InitProducerIdRules.@Nullable Expected expected, int timeoutMillis, long spareId) {
        return answer(
                id, new InitProducerIdRules(expected, timeoutMillis, spareId, time.milliseconds()).decide(ids.get(id)));
    }

    /**
     * Ends a transaction.
     *
     * @param raises whether the client is of the second generation
     */
    CoordinatorResult<ProducerAnswer, CoordinatorRecord> endTransaction(
            String id, ProducerClaim producer, boolean commit, boolean raises, long spareId) {
        EndTransactionRules rules = new EndTransactionRules(
                producer.producerId(), producer.epoch(), commit, raises, spareId, time.milliseconds());
        return answer(id, rules.decide(ids.get(id)));
    }

    private CoordinatorResult<ProducerAnswer, CoordinatorRecord> answer(String id, Decision decision) {
        if (decision instanceof Decision.Change change) {
            ProducerAnswer answer = change.error() == Errors.NONE
                    ? ProducerAnswer.success(change.producer())
                    : ProducerAnswer.error(change.error());
            CompletableFuture<Void> durable = new CompletableFuture<>();
            if (change.next().isPrepared()) {
                listener.onPrepared(partition, id, change.next(), durable);
            }
            return new CoordinatorResult<>(
                    List.of(TransactionRecords.state(id, change.next())), answer, durable, true, true);
        }
        if (decision instanceof Decision.Repeat repeat) {
            return unchanged(ProducerAnswer.success(repeat.producer()));
        }
        return unchanged(
                decision instanceof Decision.Refuse refuse
                        ? ProducerAnswer.error(refuse.error())
                        : ProducerAnswer.needed());
    }

    /** All partitions are added, or none. */
    CoordinatorResult<Errors, CoordinatorRecord> addPartitions(
            String id, ProducerClaim producer, Set<TopicPartition> partitions, short clientVersion) {
        IdState current = ids.get(id);
        if (current != null && current.isPrepared()) {
            // First of all: the producer may already know the id and epoch that come with the completion.
            return unchanged(Errors.CONCURRENT_TRANSACTIONS);
        }
        Errors refusal = refusal(current, producer);
        if (current == null || refusal != Errors.NONE) {
            return unchanged(refusal);
        }
        if (current.isOngoing() && current.partitions().containsAll(partitions)) {
            return unchanged(Errors.NONE);
        }
        IdState next = current.touching(partitions, time.milliseconds(), clientVersion);
        return new CoordinatorResult<>(List.of(TransactionRecords.state(id, next)), Errors.NONE);
    }

    /** Which of the partitions belong to the producer's transaction. */
    CoordinatorResult<Map<TopicPartition, Errors>, CoordinatorRecord> verifyPartitions(
            String id, ProducerClaim producer, Set<TopicPartition> partitions) {
        IdState current = ids.get(id);
        Errors refusal = refusal(current, producer);
        if (refusal == Errors.NONE && current != null && current.isPrepared()) {
            refusal = Errors.CONCURRENT_TRANSACTIONS;
        }
        Map<TopicPartition, Errors> answers = new HashMap<>();
        for (TopicPartition asked : partitions) {
            boolean belongs = current != null && current.partitions().contains(asked);
            answers.put(asked, refusal == Errors.NONE && !belongs ? Errors.TRANSACTION_ABORTABLE : refusal);
        }
        return unchanged(answers);
    }

    private static Errors refusal(@Nullable IdState current, ProducerClaim producer) {
        if (current == null || current.producer().id() != producer.producerId()) {
            return Errors.INVALID_PRODUCER_ID_MAPPING;
        }
        boolean same = current.producer().epoch() == producer.epoch();
        return same && !current.producer().isFencedForGood() ? Errors.NONE : Errors.PRODUCER_FENCED;
    }

    /** The markers of a decision are written; whether the id is still where it was when they were begun. */
    CoordinatorResult<Boolean, CoordinatorRecord> complete(String id, IdState prepared) {
        if (!prepared.equals(ids.get(id))) {
            return unchanged(false);
        }
        IdState completed = prepared.completed(time.milliseconds());
        return new CoordinatorResult<>(List.of(TransactionRecords.state(id, completed)), Boolean.TRUE);
    }

    /** Decisions that wait to be carried out, by transactional id. */
    CoordinatorResult<Map<String, IdState>, CoordinatorRecord> prepared() {
        Map<String, IdState> found = new HashMap<>();
        ids.forEach((id, state) -> {
            if (state.isPrepared()) {
                found.put(id, state);
            }
        });
        return unchanged(found);
    }

    /** The same for one id: none or one. */
    CoordinatorResult<Map<String, IdState>, CoordinatorRecord> prepared(String id) {
        IdState state = ids.get(id);
        return unchanged(state != null && state.isPrepared() ? Map.of(id, state) : Map.of());
    }

    /** As it is durable. */
    @Nullable IdState find(String id, long committedOffset) {
        return ids.get(id, committedOffset);
    }

    /** All of them, as they are durable. */
    Set<Map.Entry<String, IdState>> entries(long committedOffset) {
        return ids.entrySet(committedOffset);
    }

    private void scheduleAbort(long delayMillis) {
        timer.schedule(ABORT_TIMER, delayMillis, TimeUnit.MILLISECONDS, true, this::abortOverdue);
    }

    private void scheduleRemove(long delayMillis) {
        timer.schedule(REMOVE_TIMER, delayMillis, TimeUnit.MILLISECONDS, true, this::removeExpired);
    }

    /** Aborts what has been open for too long; the raised epoch fences its producer. */
    private CoordinatorResult<Void, CoordinatorRecord> abortOverdue() {
        long now = time.milliseconds();
        List<CoordinatorRecord> records = new ArrayList<>();
        CompletableFuture<Void> durable = new CompletableFuture<>();
        for (Map.Entry<String, IdState> entry : ids.entrySet()) {
            if (records.size() == SWEEP_LIMIT) {
                break;
            }
            if (entry.getValue().isOverdue(now)) {
                IdState aborting = entry.getValue().fenced(true, now);
                records.add(TransactionRecords.state(entry.getKey(), aborting));
                listener.onPrepared(partition, entry.getKey(), aborting, durable);
            }
        }
        if (!records.isEmpty()) {
            listener.onOverdue(records.size());
        }
        scheduleAbort(records.size() == SWEEP_LIMIT ? NEXT_TURN_MILLIS : settings.abortIntervalMillis());
        return new CoordinatorResult<>(records, null, durable, true, false);
    }

    private CoordinatorResult<Void, CoordinatorRecord> removeExpired() {
        long now = time.milliseconds();
        List<CoordinatorRecord> tombstones = new ArrayList<>();
        for (Map.Entry<String, IdState> entry : ids.entrySet()) {
            if (tombstones.size() == SWEEP_LIMIT) {
                break;
            }
            if (entry.getValue().isExpired(now, settings.idExpirationMillis())) {
                tombstones.add(TransactionRecords.tombstone(entry.getKey()));
            }
        }
        scheduleRemove(tombstones.size() == SWEEP_LIMIT ? NEXT_TURN_MILLIS : settings.removeIntervalMillis());
        return new CoordinatorResult<>(tombstones, null, new CompletableFuture<>(), true, false);
    }

    private static <T> CoordinatorResult<T, CoordinatorRecord> unchanged(T answer) {
        return new CoordinatorResult<>(List.of(), answer);
    }
}
