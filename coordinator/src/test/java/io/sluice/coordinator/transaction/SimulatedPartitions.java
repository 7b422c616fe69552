package io.sluice.coordinator.transaction;

import io.sluice.coordinator.runtime.TransactionEnd;
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
 * Partitions that know of each producer what a log knows: its epoch, the epoch of its coordinator, and the transaction it has
 * open. Markers are accepted, refused, delayed until somebody lets them pass, or accepted without saying so. They outlive
 * every node. Safe on every thread.
 */
final class SimulatedPartitions implements TransactionMarkers {
    private final Random random;
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
    }

    SimulatedPartitions(Random random) {
        this.random = random;
    }

    /** A batch of a transaction; whether it was taken. */
    synchronized boolean append(TopicPartition partition, long producerId, short epoch, String transaction) {
        ProducerState state = state(partition, producerId);
        if (epoch < state.epoch) {
            return false;
        }
        if (state.open != null && !state.open.equals(transaction)) {
            violations.add(transaction + " wrote into " + state.open + " in " + partition);
        }
        state.epoch = epoch;
        state.open = transaction;
        return true;
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
        if (end.coordinatorEpoch() < state.coordinatorEpoch) {
            return Errors.TRANSACTION_COORDINATOR_FENCED;
        }
        boolean late = end.transactionVersion() >= 2 && state.open != null && end.producerEpoch() <= state.epoch;
        if (end.producerEpoch() < state.epoch || late) {
            return Errors.INVALID_PRODUCER_EPOCH;
        }
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
