package io.sluice.coordinator.transaction;

import io.sluice.coordinator.runtime.CoordinatorLocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.Errors;

/** A coordinator that answers questions of logs as it is told, at once or later, and nothing else. */
public final class ScriptedTransactions implements TransactionPort {
    /** What was asked, oldest first. */
    public final List<Question> questions = new ArrayList<>();

    private Function<TopicPartition, Errors> answer = partition -> Errors.NONE;
    private boolean held;

    /** One call of {@link #verify}, and its answer. */
    public record Question(
            String transactionalId,
            long producerId,
            short producerEpoch,
            List<TopicPartition> partitions,
            boolean adds,
            CompletableFuture<Map<TopicPartition, Errors>> answer) {}

    /** From now on each partition is answered with this, at once. */
    public void answer(Function<TopicPartition, Errors> newAnswer) {
        answer = newAnswer;
        held = false;
    }

    /** From now on questions wait until {@link #answerAll}. */
    public void hold() {
        held = true;
    }

    /** Answers what waits. */
    public void answerAll() {
        held = false;
        for (Question question : questions) {
            question.answer().complete(answersTo(question.partitions()));
        }
    }

    private Map<TopicPartition, Errors> answersTo(List<TopicPartition> partitions) {
        return partitions.stream().collect(Collectors.toMap(partition -> partition, answer));
    }

    @Override
    public CompletionStage<Map<TopicPartition, Errors>> verify(
            String transactionalId,
            long producerId,
            short producerEpoch,
            List<TopicPartition> partitions,
            boolean adds) {
        Question question =
                new Question(transactionalId, producerId, producerEpoch, partitions, adds, new CompletableFuture<>());
        questions.add(question);
        if (!held) {
            question.answer().complete(answersTo(partitions));
        }
        return question.answer();
    }

    private static <T> CompletionStage<T> unscripted() {
        return CompletableFuture.failedFuture(new AssertionError("only questions of logs are scripted"));
    }

    @Override
    public CompletionStage<CoordinatorLocation> locate(String transactionalId) {
        return unscripted();
    }

    @Override
    public CompletionStage<InitProducerIdResponseData> initProducerId(InitProducerIdRequestData request) {
        return unscripted();
    }

    @Override
    public CompletionStage<Map<TopicPartition, Errors>> addPartitions(
            AddPartitionsToTxnTransaction transaction, short version) {
        return unscripted();
    }

    @Override
    public CompletionStage<Errors> addOffsets(AddOffsetsToTxnRequestData request) {
        return unscripted();
    }

    @Override
    public CompletionStage<EndTxnResponseData> endTransaction(EndTxnRequestData request, short version) {
        return unscripted();
    }

    @Override
    public CompletionStage<List<DescribeTransactionsResponseData.TransactionState>> describe(
            List<String> transactionalIds) {
        return unscripted();
    }

    @Override
    public CompletionStage<ListTransactionsResponseData> list(ListTransactionsRequestData request) {
        return unscripted();
    }

    @Override
    public void close() {
        held = false;
    }
}
