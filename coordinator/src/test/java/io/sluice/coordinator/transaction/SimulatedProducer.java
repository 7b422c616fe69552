package io.sluice.coordinator.transaction;

import io.sluice.coordinator.transaction.TransactionsHarness.Producer;
import io.sluice.storage.log.PartitionLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** A client that keeps to the protocol of one generation, one request at a time, and remembers what it was promised. */
final class SimulatedProducer {
    private static final int PARTITIONS = 5;
    private static final int TIMEOUT_MILLIS = 30_000;

    private final String name;
    private final String transactionalId;
    private final boolean second;
    private final SimulatedPartitions partitions;
    private final Random random;
    private final Map<String, Boolean> promises = new HashMap<>();
    private final List<String> transactions = new ArrayList<>();
    private final Set<String> committing = new HashSet<>();
    private @Nullable Producer identity;
    private @Nullable String transaction;
    private @Nullable TopicPartition writing;
    private @Nullable Boolean ending;
    private final Set<Long> producerIds = new HashSet<>();
    private @Nullable CompletableFuture<?> pending;
    private @Nullable Runnable onAnswer;

    SimulatedProducer(
            String name, String transactionalId, boolean second, SimulatedPartitions partitions, Random random) {
        this.name = name;
        this.transactionalId = transactionalId;
        this.second = second;
        this.partitions = partitions;
        this.random = random;
    }

    /** What it was told of its transactions: whether they were committed. */
    Map<String, Boolean> promises() {
        return promises;
    }

    List<String> transactions() {
        return transactions;
    }

    /** Which ids it was given. */
    Set<Long> producerIds() {
        return producerIds;
    }

    /** Whether it ever asked for a commit of the transaction. */
    boolean wantedCommit(String of) {
        return committing.contains(of);
    }

    /** The node it waited for is gone: whether its request came to anything it does not know. */
    void loseAnswer() {
        pending = null;
        onAnswer = null;
    }

    /** Waits for an answer, as long as the condition holds. */
    boolean isWaiting() {
        return pending != null && !pending.isDone();
    }

    /** Its next step, unless it waits for an answer. */
    void step(TransactionsHarness node) {
        if (isWaiting()) {
            return;
        }
        if (onAnswer != null) {
            Runnable then = onAnswer;
            onAnswer = null;
            pending = null;
            then.run();
            return;
        }
        Producer self = identity;
        if (self == null) {
            initialize(node);
        } else if (ending != null) {
            end(node, self, ending);
        } else if (writing != null) {
            write(node, self, writing);
        } else if (transaction == null || random.nextInt(3) > 0) {
            touch(node, self);
        } else {
            end(node, self, random.nextInt(3) > 0);
        }
    }

    private <T> void ask(CompletionStage<T> question, Consumer<T> answer) {
        CompletableFuture<T> asked = question.toCompletableFuture();
        pending = asked;
        onAnswer = () -> answer.accept(asked.join());
    }

    private void initialize(TransactionsHarness node) {
        InitProducerIdRequestData request = new InitProducerIdRequestData()
                .setTransactionalId(transactionalId)
                .setTransactionTimeoutMs(TIMEOUT_MILLIS);
        ask(node.transactions.initProducerId(request), this::onInitialized);
    }

    private void onInitialized(InitProducerIdResponseData answer) {
        if (answer.errorCode() == Errors.NONE.code()) {
            identify(answer.producerId(), answer.producerEpoch());
        }
    }

    private void identify(long producerId, short epoch) {
        identity = new Producer(transactionalId, producerId, epoch);
        producerIds.add(producerId);
        if (epoch == Short.MAX_VALUE) {
            partitions.violation(name + " was given the epoch to fence it with");
        }
    }

    /** Adds a partition, where that is the client's to do, then writes into it. */
    private void touch(TransactionsHarness node, Producer self) {
        TopicPartition partition = TransactionsHarness.partition(random.nextInt(PARTITIONS));
        if (second) {
            write(node, self, partition);
        } else {
            ask(node.addLater(self, false, 3, partition), answers -> {
                if (succeeds(TransactionsHarness.any(answers))) {
                    writing = partition;
                }
            });
        }
    }

    /** Writes as a log does it: a batch that begins the transaction there is verified before. */
    private void write(TransactionsHarness node, Producer self, TopicPartition partition) {
        long guard = partitions.begin(partition, self.producerId(), self.epoch());
        if (guard == PartitionLog.STALE_EPOCH) {
            giveUp();
        } else if (guard == PartitionLog.NO_GUARD) {
            append(self, partition, guard);
        } else {
            ask(
                    node.transactions.verify(self.id(), self.producerId(), self.epoch(), List.of(partition), second),
                    answers -> {
                        if (succeeds(TransactionsHarness.any(answers))) {
                            append(self, partition, guard);
                        }
                    });
        }
    }

    private boolean succeeds(Errors error) {
        if (error != Errors.NONE && !isRetriable(error)) {
            giveUp();
        }
        return error == Errors.NONE;
    }

    private void append(Producer self, TopicPartition partition, long guard) {
        if (transaction == null) {
            transaction = name + "-" + transactions.size();
            transactions.add(transaction);
        }
        if (guard != PartitionLog.NO_GUARD && random.nextInt(10) == 0) {
            // Its time is over for the client, which aborts, but not for the node.
            partitions.appendLate(partition, self.producerId(), self.epoch(), transaction, guard);
            writing = null;
            ending = false;
            return;
        }
        switch (partitions.append(partition, self.producerId(), self.epoch(), transaction, guard)) {
            case TAKEN -> writing = null;
            case FENCED -> giveUp();
            case UNVERIFIED -> writing = partition;
        }
    }

    private void end(TransactionsHarness node, Producer self, boolean commit) {
        ending = commit;
        if (commit && transaction != null) {
            committing.add(transaction);
        }
        ask(node.endLater(self, commit, second ? 5 : 4), answer -> onEnded(commit, answer));
    }

    private void onEnded(boolean commit, EndTxnResponseData answer) {
        Errors error = Errors.forCode(answer.errorCode());
        if (error == Errors.NONE) {
            if (transaction != null) {
                promises.put(transaction, commit);
            }
            transaction = null;
            ending = null;
            if (second) {
                identify(answer.producerId(), answer.producerEpoch());
            }
        } else if (!isRetriable(error)) {
            giveUp();
        }
    }

    /** Fenced, or at odds with the coordinator: it begins anew. */
    private void giveUp() {
        identity = null;
        transaction = null;
        writing = null;
        ending = null;
    }

    private static boolean isRetriable(Errors error) {
        return switch (error) {
            case CONCURRENT_TRANSACTIONS, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR ->
                true;
            default -> false;
        };
    }
}
