package io.sluice.coordinator.transaction;

import com.google.re2j.PatternSyntaxException;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.CoordinatorLife;
import io.sluice.coordinator.runtime.CoordinatorLocation;
import io.sluice.coordinator.runtime.InternalTopics;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Coordination of transactions by our own state machine on Kafka's coordinator runtime; its state is in a log. */
public final class LogTransactions implements TransactionPort {
    private static final short FIRST_RAISING_END_VERSION = 5;
    private static final short FIRST_SECOND_GENERATION_ADD_VERSION = 5;

    private final CoordinatorLife<TransactionRun> life;
    private final ProducerIdSource producerIds;
    private final OffsetPartitions offsets;

    /** Idle coordination; listens to metadata and ownership from now on. */
    public LogTransactions(
            CoordinatorEnvironment env,
            TransactionMarkers markers,
            ProducerIdSource producerIds,
            OffsetPartitions offsets) {
        this.producerIds = producerIds;
        this.offsets = offsets;
        this.life = new CoordinatorLife<>(
                "Coordination of transactions",
                env,
                InternalTopics.Spec.ofTransactions(env.config()),
                topic -> new TransactionRun(env, topic, markers));
    }

    @Override
    public CompletionStage<CoordinatorLocation> locate(String transactionalId) {
        return life.locate(transactionalId);
    }

    @Override
    public CompletionStage<InitProducerIdResponseData> initProducerId(InitProducerIdRequestData request) {
        String id = request.transactionalId();
        InitProducerIdRules.Expected expected = request.producerId() == ProducerIdentity.NO_ID
                ? null
                : new InitProducerIdRules.Expected(request.producerId(), request.producerEpoch());
        return answer(spare -> life.ask(run -> run.write(
                        "init-producer-id",
                        id,
                        shard -> shard.initProducerId(id, expected, request.transactionTimeoutMs(), spare))))
                .thenApply(answer -> new InitProducerIdResponseData()
                        .setErrorCode(answer.error().code())
                        .setProducerId(answer.producerId())
                        .setProducerEpoch(answer.producerEpoch()));
    }

    @Override
    public CompletionStage<EndTxnResponseData> endTransaction(EndTxnRequestData request, short version) {
        String id = request.transactionalId();
        ProducerClaim producer = new ProducerClaim(request.producerId(), request.producerEpoch());
        boolean raises = version >= FIRST_RAISING_END_VERSION;
        return answer(spare -> life.ask(run -> run.write(
                        "end-transaction",
                        id,
                        shard -> shard.endTransaction(id, producer, request.committed(), raises, spare))))
                .thenApply(answer -> endAnswer(answer, raises));
    }

    private static EndTxnResponseData endAnswer(ProducerAnswer answer, boolean raises) {
        EndTxnResponseData response =
                new EndTxnResponseData().setErrorCode(answer.error().code());
        return raises ? response.setProducerId(answer.producerId()).setProducerEpoch(answer.producerEpoch()) : response;
    }

    /** Asks, and again with a producer id where it takes one. */
    private CompletionStage<ProducerAnswer> answer(LongFunction<CompletionStage<ProducerAnswer>> question) {
        return question.apply(ProducerIdSource.NONE)
                .thenCompose(answer -> answer.needsProducerId()
                        ? takeProducerId()
                                .thenCompose(id -> id == ProducerIdSource.NONE
                                        ? CompletableFuture.completedFuture(
                                                ProducerAnswer.error(Errors.COORDINATOR_LOAD_IN_PROGRESS))
                                        : question.apply(id))
                        : CompletableFuture.completedFuture(answer))
                .exceptionally(failure -> ProducerAnswer.error(CoordinatorErrors.of(failure)));
    }

    private CompletableFuture<Long> takeProducerId() {
        CompletableFuture<Long> taken = new CompletableFuture<>();
        producerIds.take(taken::complete);
        return taken;
    }

    @Override
    public CompletionStage<Map<TopicPartition, Errors>> addPartitions(
            AddPartitionsToTxnTransaction transaction, short version) {
        Set<TopicPartition> partitions = new HashSet<>();
        for (AddPartitionsToTxnTopic topic : transaction.topics()) {
            topic.partitions().forEach(partition -> partitions.add(new TopicPartition(topic.name(), partition)));
        }
        ProducerClaim producer = new ProducerClaim(transaction.producerId(), transaction.producerEpoch());
        if (transaction.verifyOnly()) {
            return verify(transaction.transactionalId(), producer, partitions);
        }
        short generation =
                version >= FIRST_SECOND_GENERATION_ADD_VERSION ? IdState.SECOND_GENERATION : IdState.FIRST_GENERATION;
        return add(transaction.transactionalId(), producer, partitions, generation)
                .thenApply(error -> forEach(partitions, error));
    }

    @Override
    public CompletionStage<Map<TopicPartition, Errors>> verify(
            String transactionalId,
            long producerId,
            short producerEpoch,
            List<TopicPartition> partitions,
            boolean adds) {
        ProducerClaim producer = new ProducerClaim(producerId, producerEpoch);
        Set<TopicPartition> all = Set.copyOf(partitions);
        return adds
                ? add(transactionalId, producer, all, IdState.SECOND_GENERATION).thenApply(error -> forEach(all, error))
                : verify(transactionalId, producer, all);
    }

    @Override
    public CompletionStage<Errors> addOffsets(AddOffsetsToTxnRequestData request) {
        ProducerClaim producer = new ProducerClaim(request.producerId(), request.producerEpoch());
        return offsets.find(request.groupId())
                .thenCompose(partition -> partition == null
                        ? CompletableFuture.completedFuture(Errors.COORDINATOR_NOT_AVAILABLE)
                        : add(request.transactionalId(), producer, Set.of(partition), IdState.FIRST_GENERATION));
    }

    private CompletionStage<Errors> add(
            String id, ProducerClaim producer, Set<TopicPartition> partitions, short generation) {
        return life.ask(run -> run.write(
                        "add-partitions", id, shard -> shard.addPartitions(id, producer, partitions, generation)))
                .exceptionally(CoordinatorErrors::of);
    }

    private CompletionStage<Map<TopicPartition, Errors>> verify(
            String id, ProducerClaim producer, Set<TopicPartition> partitions) {
        return life.ask(run ->
                        run.write("verify-partitions", id, shard -> shard.verifyPartitions(id, producer, partitions)))
                .exceptionally(failure -> forEach(partitions, CoordinatorErrors.of(failure)));
    }

    private static Map<TopicPartition, Errors> forEach(Collection<TopicPartition> partitions, Errors error) {
        Map<TopicPartition, Errors> answers = new HashMap<>();
        partitions.forEach(partition -> answers.put(partition, error));
        return answers;
    }

    @Override
    public CompletionStage<List<DescribeTransactionsResponseData.TransactionState>> describe(
            List<String> transactionalIds) {
        Map<String, CompletableFuture<DescribeTransactionsResponseData.TransactionState>> asked = new LinkedHashMap<>();
        transactionalIds.forEach(id -> asked.computeIfAbsent(id, this::describe));
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(nothing ->
                        asked.values().stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<DescribeTransactionsResponseData.TransactionState> describe(String id) {
        if (id.isEmpty()) {
            return CompletableFuture.completedFuture(TransactionDescriptions.error(id, Errors.INVALID_REQUEST));
        }
        return life.ask(run -> run.runtime()
                        .scheduleReadOperation(
                                "describe",
                                run.partitionOf(id),
                                (shard, committed) -> TransactionDescriptions.describe(id, shard.find(id, committed))))
                .exceptionally(failure -> TransactionDescriptions.error(id, CoordinatorErrors.of(failure)))
                .toCompletableFuture();
    }

    @Override
    public CompletionStage<ListTransactionsResponseData> list(ListTransactionsRequestData request) {
        ListTransactionsResponseData response = new ListTransactionsResponseData();
        TransactionDescriptions.Filter filter;
        try {
            filter = new TransactionDescriptions.Filter(request);
        } catch (PatternSyntaxException e) {
            return CompletableFuture.completedFuture(response.setErrorCode(Errors.INVALID_REGULAR_EXPRESSION.code()));
        }
        response.setUnknownStateFilters(filter.unknownStates());
        if (life.topic() == null) {
            return CompletableFuture.completedFuture(response);
        }
        return life.ask(run -> run.list(filter))
                .thenApply(response::setTransactionStates)
                .exceptionally(failure ->
                        response.setErrorCode(CoordinatorErrors.of(failure).code()));
    }

    @Override
    public void close() {
        life.close();
    }
}
