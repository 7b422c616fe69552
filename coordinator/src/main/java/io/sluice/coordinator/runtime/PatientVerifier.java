package io.sluice.coordinator.runtime;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Asks the coordinator of transactions on behalf of clients: while the end of a producer's last transaction is on its way, and
 * the client leaves it to the broker to add partitions, this asks again for a while instead of the client, as Kafka does.
 * Safe on every thread.
 */
public final class PatientVerifier {
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final TransactionVerifier verifier;
    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor executor;

    /** Answers come on the thread that gives them. */
    public PatientVerifier(TransactionVerifier verifier, Clock clock, Scheduler scheduler) {
        this(verifier, clock, scheduler, Runnable::run);
    }

    /**
     * Nothing is asked yet.
     *
     * @param executor where answers come unless the question names another
     */
    public PatientVerifier(TransactionVerifier verifier, Clock clock, Scheduler scheduler, Executor executor) {
        this.verifier = verifier;
        this.executor = executor;
        this.clock = clock;
        this.scheduler = scheduler;
    }

    /**
     * One question.
     *
     * @param abortable whether the client knows TRANSACTION_ABORTABLE
     * @param adds whether the broker adds the partitions
     * @param begun what was begun in the partitions' logs
     */
    public record Question(
            String transactionalId,
            long producerId,
            short producerEpoch,
            List<TopicPartition> partitions,
            boolean abortable,
            boolean adds,
            Begun begun) {}

    /**
     * The verifications begun in the logs, of which the coordinator is asked. The marker of the producer's last transaction ends
     * them: where it comes while the coordinator is asked, its answer is worth nothing.
     */
    public interface Begun {
        /** Begins those anew that were ended; whether there were any. Called on the executor of the answer. */
        boolean beginAnew();
    }

    /** As {@link #ask(Question, Executor)}, on this verifier's own executor. */
    public CompletionStage<Map<TopicPartition, Errors>> ask(Question question) {
        return ask(question, executor);
    }

    /**
     * For each partition NONE, or the error to answer the client, in the words that it knows. Completes on the executor.
     */
    public CompletionStage<Map<TopicPartition, Errors>> ask(Question question, Executor on) {
        CompletableFuture<Map<TopicPartition, Errors>> answer = new CompletableFuture<>();
        ask(question, on, clock.nanoTime(), answer);
        return answer;
    }

    private void ask(
            Question question, Executor on, long sinceNanos, CompletableFuture<Map<TopicPartition, Errors>> answer) {
        orFail(answer, () -> {
            CompletionStage<?> unused = verifier.verify(
                            question.transactionalId(),
                            question.producerId(),
                            question.producerEpoch(),
                            question.partitions(),
                            question.adds())
                    .whenCompleteAsync(
                            (errors, failure) ->
                                    orFail(answer, () -> onAnswer(question, on, sinceNanos, answer, errors, failure)),
                            on);
        });
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // whatever goes wrong: who waits for the answer must hear of it
    private static void orFail(CompletableFuture<?> answer, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            answer.completeExceptionally(e);
        }
    }

    private void onAnswer(
            Question question,
            Executor on,
            long sinceNanos,
            CompletableFuture<Map<TopicPartition, Errors>> answer,
            @Nullable Map<TopicPartition, Errors> errors,
            @Nullable Throwable failure) {
        if (errors == null) {
            answer.completeExceptionally(
                    failure == null ? new IllegalStateException("a verification without an answer") : failure);
        } else if (errors.containsValue(Errors.CONCURRENT_TRANSACTIONS) && mayAskAgain(question, sinceNanos)) {
            scheduler.schedule(() -> ask(question, on, sinceNanos, answer), RETRY_NANOS, on);
        } else if (isVouchedForInVain(question, errors)) {
            if (mayAskAgain(question, sinceNanos)) {
                ask(question, on, sinceNanos, answer);
            } else {
                answer.complete(forEach(question, partition -> Errors.CONCURRENT_TRANSACTIONS));
            }
        } else {
            answer.complete(forEach(
                    question,
                    partition -> translate(question, errors.getOrDefault(partition, Errors.UNKNOWN_SERVER_ERROR))));
        }
    }

    /**
     * Only where the broker adds partitions: there the epoch keeps apart what belongs to one transaction and to the next. Elsewhere a
     * batch that was late must not get into the next one by being asked about again.
     */
    private static boolean isVouchedForInVain(Question question, Map<TopicPartition, Errors> errors) {
        return question.adds()
                && errors.containsValue(Errors.NONE)
                && question.begun().beginAnew();
    }

    private static Map<TopicPartition, Errors> forEach(Question question, Function<TopicPartition, Errors> error) {
        Map<TopicPartition, Errors> errors = new HashMap<>();
        question.partitions().forEach(partition -> errors.put(partition, error.apply(partition)));
        return errors;
    }

    /** Whether the client is to send again what got this answer. */
    public static boolean isPassing(Errors error) {
        return error == Errors.CONCURRENT_TRANSACTIONS || error == Errors.NOT_ENOUGH_REPLICAS;
    }

    private boolean mayAskAgain(Question question, long sinceNanos) {
        return question.adds() && clock.nanoTime() - sinceNanos + RETRY_NANOS <= LONGEST_RETRY_NANOS;
    }

    private static Errors translate(Question question, Errors error) {
        return switch (error) {
            case PRODUCER_FENCED -> Errors.INVALID_PRODUCER_EPOCH;
            case COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, REQUEST_TIMED_OUT ->
                Errors.NOT_ENOUGH_REPLICAS;
            case CONCURRENT_TRANSACTIONS -> question.adds() ? error : Errors.NOT_ENOUGH_REPLICAS;
            case TRANSACTION_ABORTABLE -> question.abortable() ? error : Errors.INVALID_TXN_STATE;
            default -> error;
        };
    }
}
