package io.sluice.coordinator.transaction;

import io.sluice.coordinator.runtime.CoordinatorLocation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

/** For nodes of tests that coordinate no transactions: nobody finds a coordinator, no log takes a transactional batch. */
public final class NoTransactions implements TransactionPort {
    @Override
    public CompletionStage<CoordinatorLocation> locate(String transactionalId) {
        return CompletableFuture.completedFuture(
                new CoordinatorLocation.Unavailable("transactions are not served by this node"));
    }

    @Override
    public CompletionStage<InitProducerIdResponseData> initProducerId(InitProducerIdRequestData request) {
        return CompletableFuture.completedFuture(new InitProducerIdResponseData()
                .setErrorCode(Errors.COORDINATOR_NOT_AVAILABLE.code())
                .setProducerId(ProducerIdentity.NO_ID)
                .setProducerEpoch(ProducerIdentity.NO_EPOCH));
    }

    @Override
    public CompletionStage<Map<TopicPartition, Errors>> addPartitions(
            AddPartitionsToTxnTransaction transaction, short version) {
        return CompletableFuture.completedFuture(transaction.topics().stream()
                .flatMap(topic -> topic.partitions().stream().map(index -> new TopicPartition(topic.name(), index)))
                .distinct()
                .collect(Collectors.toMap(partition -> partition, partition -> Errors.COORDINATOR_NOT_AVAILABLE)));
    }

    @Override
    public CompletionStage<Errors> addOffsets(AddOffsetsToTxnRequestData request) {
        return CompletableFuture.completedFuture(Errors.COORDINATOR_NOT_AVAILABLE);
    }

    @Override
    public CompletionStage<EndTxnResponseData> endTransaction(EndTxnRequestData request, short version) {
        return CompletableFuture.completedFuture(
                new EndTxnResponseData().setErrorCode(Errors.COORDINATOR_NOT_AVAILABLE.code()));
    }

    @Override
    public CompletionStage<Map<TopicPartition, Errors>> verify(
            String transactionalId,
            long producerId,
            short producerEpoch,
            List<TopicPartition> partitions,
            boolean adds) {
        return CompletableFuture.completedFuture(partitions.stream()
                .collect(Collectors.toMap(partition -> partition, partition -> Errors.INVALID_TXN_STATE)));
    }

    @Override
    public CompletionStage<List<DescribeTransactionsResponseData.TransactionState>> describe(
            List<String> transactionalIds) {
        return CompletableFuture.completedFuture(transactionalIds.stream()
                .map(id -> new DescribeTransactionsResponseData.TransactionState()
                        .setTransactionalId(id)
                        .setErrorCode(Errors.COORDINATOR_NOT_AVAILABLE.code()))
                .toList());
    }

    @Override
    public CompletionStage<ListTransactionsResponseData> list(ListTransactionsRequestData request) {
        return CompletableFuture.completedFuture(new ListTransactionsResponseData());
    }

    @Override
    public void close() {
        // Nothing runs.
    }
}
