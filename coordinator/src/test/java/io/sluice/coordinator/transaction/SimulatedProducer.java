package io.sluice.coordinator.transaction;

import io.sluice.coordinator.transaction.TransactionsHarness.Producer;
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
    private @Nullable Boolean ending;
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
            identity = new Producer(transactionalId, answer.producerId(), answer.producerEpoch());
        }
    }

    /** Adds a partition, then writes into it. */
    private void touch(TransactionsHarness node, Producer self) {
        TopicPartition partition = TransactionsHarness.partition(random.nextInt(PARTITIONS));
        CompletionStage<Map<TopicPartition, Errors>> question = second
                ? node.transactions.verify(self.id(), self.producerId(), self.epoch(), List.of(partition), true)
                : node.addLater(self, false, 3, partition);
        ask(question, answers -> onAdded(self, partition, TransactionsHarness.any(answers)));
    }

    private void onAdded(Producer self, TopicPartition partition, Errors error) {
        if (error == Errors.NONE) {
            if (transaction == null) {
                transaction = name + "-" + transactions.size();
                transactions.add(transaction);
            }
            if (!partitions.append(partition, self.producerId(), self.epoch(), transaction)) {
                giveUp();
            }
        } else if (!isRetriable(error)) {
            giveUp();
        }
    }

    private void end(TransactionsHarness node, Producer self, boolean commit) {
        ending = commit;
        if (commit && transaction != null) {
            committing.add(transaction);
        }
        ask(node.endLater(self, commit, second ? 5 : 4), answer -> onEnded(self, commit, answer));
    }

    private void onEnded(Producer self, boolean commit, EndTxnResponseData answer) {
        Errors error = Errors.forCode(answer.errorCode());
        if (error == Errors.NONE) {
            if (transaction != null) {
                promises.put(transaction, commit);
            }
            transaction = null;
            ending = null;
            identity = second ? new Producer(self.id(), answer.producerId(), answer.producerEpoch()) : self;
        } else if (!isRetriable(error)) {
            giveUp();
        }
    }

    /** Fenced, or at odds with the coordinator: it begins anew. */
    private void giveUp() {
        identity = null;
        transaction = null;
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
