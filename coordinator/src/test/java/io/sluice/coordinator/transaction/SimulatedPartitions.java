package io.sluice.coordinator.transaction;

import io.sluice.coordinator.runtime.TransactionEnd;
import io.sluice.storage.log.PartitionLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Partitions that know of each producer what a log knows: its epoch, the epoch of its coordinator, the transaction it has
 * open, and whether one is being verified (KIP-890). Batches that were verified may come late. Markers are accepted, refused, delayed until somebody lets them pass, or accepted without saying so. They outlive
 * every node. Safe on every thread.
 */
final class SimulatedPartitions implements TransactionMarkers {
    private final Random random;
    private long lastGuard;
    private final Map<TopicPartition, Map<Long, ProducerState>> partitions = new HashMap<>();
    private final Map<String, Set<Boolean>> outcomes = new HashMap<>();
    private final List<Runnable> delayed = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private boolean calm;

    /** What a partition knows of a producer. */
    private static final class ProducerState {
        private short epoch = -1;
        private int coordinatorEpoch = -1;
        private @Nullable String open;
        private long guard = PartitionLog.NO_GUARD;
    }

    /** What became of a batch. */
    enum Appended {
        TAKEN,
        /** The epoch is not the producer's any more. */
        FENCED,
        /** Its verification came to nothing: a marker was written since. */
        UNVERIFIED
    }

    SimulatedPartitions(Random random) {
        this.random = random;
    }

    /** By which guard a batch is to be appended that has to be verified first; else {@link PartitionLog#NO_GUARD} or STALE_EPOCH. */
    synchronized long begin(TopicPartition partition, long producerId, short epoch) {
        ProducerState state = state(partition, producerId);
        if (epoch < state.epoch) {
            return PartitionLog.STALE_EPOCH;
        }
        if (state.open != null && state.epoch == epoch) {
            return PartitionLog.NO_GUARD;
        }
        state.guard = state.guard == PartitionLog.NO_GUARD ? ++lastGuard : state.guard;
        return state.guard;
    }

    /** A batch of a transaction. */
    synchronized Appended append(
            TopicPartition partition, long producerId, short epoch, String transaction, long guard) {
        ProducerState state = state(partition, producerId);
        if (epoch < state.epoch) {
            return Appended.FENCED;
        }
        boolean open = state.open != null && state.epoch == epoch;
        if (!open && (guard == PartitionLog.NO_GUARD || guard != state.guard)) {
            return Appended.UNVERIFIED;
        }
        state.guard = PartitionLog.NO_GUARD;
        if (state.open != null && !state.open.equals(transaction)) {
            violations.add(transaction + " wrote into " + state.open + " in " + partition);
        }
        state.epoch = epoch;
        state.open = transaction;
        return Appended.TAKEN;
    }

    /** A batch that was verified and comes when its producer has given it up. */
    synchronized void appendLate(
            TopicPartition partition, long producerId, short epoch, String transaction, long guard) {
        delayed.add(() -> append(partition, producerId, epoch, transaction, guard));
    }

    synchronized void violation(String what) {
        violations.add(what);
    }

    @Override
    public CompletionStage<Errors> write(TransactionEnd end, TopicPartition partition) {
        CompletableFuture<Errors> answer = new CompletableFuture<>();
        Errors immediate;
        synchronized (this) {
            int chance = calm ? 0 : random.nextInt(100);
            if (chance >= 85) {
                delayed.add(() -> answer.complete(mark(end, partition)));
                return answer;
            }
            if (chance >= 70) {
                immediate = Errors.NOT_LEADER_OR_FOLLOWER;
            } else if (chance >= 60) {
                mark(end, partition);
                immediate = Errors.REQUEST_TIMED_OUT;
            } else {
                immediate = mark(end, partition);
            }
        }
        answer.complete(immediate);
        return answer;
    }

    private synchronized Errors mark(TransactionEnd end, TopicPartition partition) {
        ProducerState state = state(partition, end.producerId());
        if (end.producerEpoch() < state.epoch) {
            return Errors.INVALID_PRODUCER_EPOCH;
        }
        if (end.coordinatorEpoch() < state.coordinatorEpoch) {
            return Errors.TRANSACTION_COORDINATOR_FENCED;
        }
        if (end.transactionVersion() >= 2 && state.open != null && end.producerEpoch() == state.epoch) {
            return Errors.INVALID_TXN_STATE;
        }
        state.guard = PartitionLog.NO_GUARD;
        state.coordinatorEpoch = end.coordinatorEpoch();
        state.epoch = end.producerEpoch();
        if (state.open != null) {
            outcomes.computeIfAbsent(state.open, transaction -> new HashSet<>()).add(end.commit());
            state.open = null;
        }
        return Errors.NONE;
    }

    private ProducerState state(TopicPartition partition, long producerId) {
        return partitions
                .computeIfAbsent(partition, unknown -> new HashMap<>())
                .computeIfAbsent(producerId, unknown -> new ProducerState());
    }

    /** Lets some of what is delayed pass, or all. */
    void pass(boolean all) {
        List<Runnable> passing = new ArrayList<>();
        synchronized (this) {
            while (!delayed.isEmpty() && (all || random.nextInt(3) > 0)) {
                passing.add(delayed.remove(random.nextInt(delayed.size())));
            }
        }
        passing.forEach(Runnable::run);
    }

    /** From now on everything is accepted at once. */
    void calm() {
        synchronized (this) {
            calm = true;
        }
        pass(true);
    }

    /** How it ended, as partitions were told: nothing, one outcome, or both. */
    synchronized Set<Boolean> outcomes(String transaction) {
        return Set.copyOf(outcomes.getOrDefault(transaction, Set.of()));
    }

    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    /** Transactions that are open somewhere. */
    synchronized Set<String> open() {
        Set<String> open = new TreeSet<>();
        partitions
                .values()
                .forEach(producers -> producers.values().forEach(state -> {
                    if (state.open != null) {
                        open.add(state.open);
                    }
                }));
        return open;
    }
}
