package io.sluice.broker.transaction;

import io.sluice.base.concurrent.StageList;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.transaction.TransactionPort;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnResult;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnResultCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AddPartitionsToTxnRequest;
import org.apache.kafka.common.requests.AddPartitionsToTxnResponse;

/**
 * AddPartitionsToTxn: one transaction of a client up to version 3, several at once since 4, which is what brokers send. Where a
 * partition does not exist none of its transaction is added.
 */
final class AddPartitionsToTxnHandler implements ApiHandler<AddPartitionsToTxnRequest> {
    private static final short FIRST_WITH_SEVERAL = 4;
    private static final int FIRST_KNOWING_FENCED = 2;

    private final TransactionPort transactions;
    private final ClusterImageSource images;

    AddPartitionsToTxnHandler(TransactionPort transactions, ClusterImageSource images) {
        this.transactions = transactions;
        this.images = images;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.ADD_PARTITIONS_TO_TXN;
    }

    @Override
    public void handle(Call<AddPartitionsToTxnRequest> call) {
        short version = call.header().apiVersion();
        AddPartitionsToTxnRequestData data = call.request().data();
        AsyncAnswer.give(
                call,
                version < FIRST_WITH_SEVERAL
                        ? add(single(data), version)
                                .thenApply(result -> new AddPartitionsToTxnResponseData()
                                        .setResultsByTopicV3AndBelow(result.topicResults()))
                                .thenApply(AddPartitionsToTxnResponse::new)
                        : addSeveral(data, version));
    }

    private static AddPartitionsToTxnTransaction single(AddPartitionsToTxnRequestData data) {
        return new AddPartitionsToTxnTransaction()
                .setTransactionalId(data.v3AndBelowTransactionalId())
                .setProducerId(data.v3AndBelowProducerId())
                .setProducerEpoch(data.v3AndBelowProducerEpoch())
                .setTopics(data.v3AndBelowTopics());
    }

    private CompletionStage<AddPartitionsToTxnResponse> addSeveral(AddPartitionsToTxnRequestData data, short version) {
        List<CompletionStage<AddPartitionsToTxnResult>> results = data.transactions().stream()
                .map(transaction -> add(transaction, version))
                .toList();
        return StageList.all(results)
                .thenApply(done -> new AddPartitionsToTxnResponse(new AddPartitionsToTxnResponseData()
                        .setResultsByTransaction(new AddPartitionsToTxnResultCollection(done.iterator()))));
    }

    private CompletionStage<AddPartitionsToTxnResult> add(AddPartitionsToTxnTransaction transaction, short version) {
        Map<TopicPartition, Errors> faults = faults(transaction, version);
        CompletionStage<Map<TopicPartition, Errors>> answers;
        if (faults.values().stream().anyMatch(error -> error != Errors.OPERATION_NOT_ATTEMPTED)) {
            answers = CompletableFuture.completedStage(faults);
        } else if (transaction.transactionalId().isEmpty()) {
            faults.replaceAll((partition, error) -> Errors.INVALID_REQUEST);
            answers = CompletableFuture.completedStage(faults);
        } else {
            answers = transactions.addPartitions(transaction, version);
        }
        return answers.thenApply(errors -> result(transaction.transactionalId(), errors, version));
    }

    /** What every partition is told where one is missing, or none that a transaction may touch. */
    private Map<TopicPartition, Errors> faults(AddPartitionsToTxnTransaction transaction, short version) {
        ClusterImage image = images.current();
        Map<TopicPartition, Errors> found = new HashMap<>();
        for (AddPartitionsToTxnTopic topic : transaction.topics()) {
            TopicImage known = image.topic(topic.name());
            Errors refusal = refusal(topic.name(), version);
            for (int partition : topic.partitions()) {
                boolean exists = known != null && known.hasPartition(partition);
                Errors fault = exists ? Errors.OPERATION_NOT_ATTEMPTED : Errors.UNKNOWN_TOPIC_OR_PARTITION;
                found.put(new TopicPartition(topic.name(), partition), refusal == Errors.NONE ? fault : refusal);
            }
        }
        return found;
    }

    /** Kafka takes an internal topic from no client; brokers add groups' offsets. */
    private static Errors refusal(String topic, short version) {
        if (version < FIRST_WITH_SEVERAL) {
            return TopicNames.isInternal(topic) ? Errors.TOPIC_AUTHORIZATION_FAILED : Errors.NONE;
        }
        return TransactionTopics.isClosed(topic) ? Errors.INVALID_TOPIC_EXCEPTION : Errors.NONE;
    }

    private static AddPartitionsToTxnResult result(String id, Map<TopicPartition, Errors> errors, short version) {
        Map<TopicPartition, Errors> told = new HashMap<>(errors);
        told.replaceAll((partition, error) -> FencedProducers.tell(error, version, FIRST_KNOWING_FENCED));
        return AddPartitionsToTxnResponse.resultForTransaction(id, told);
    }
}
