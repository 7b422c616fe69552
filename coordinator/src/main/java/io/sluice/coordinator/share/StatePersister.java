package io.sluice.coordinator.share;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteShareGroupStateResponseData;
import org.apache.kafka.common.message.InitializeShareGroupStateRequestData;
import org.apache.kafka.common.message.InitializeShareGroupStateResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateSummaryResponseData;
import org.apache.kafka.common.message.WriteShareGroupStateRequestData;
import org.apache.kafka.common.message.WriteShareGroupStateResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.server.share.persister.DeleteShareGroupStateParameters;
import org.apache.kafka.server.share.persister.DeleteShareGroupStateResult;
import org.apache.kafka.server.share.persister.GroupTopicPartitionData;
import org.apache.kafka.server.share.persister.InitializeShareGroupStateParameters;
import org.apache.kafka.server.share.persister.InitializeShareGroupStateResult;
import org.apache.kafka.server.share.persister.PartitionIdData;
import org.apache.kafka.server.share.persister.PartitionInfoData;
import org.apache.kafka.server.share.persister.PartitionStateBatchData;
import org.apache.kafka.server.share.persister.PartitionStateData;
import org.apache.kafka.server.share.persister.Persister;
import org.apache.kafka.server.share.persister.ReadShareGroupStateParameters;
import org.apache.kafka.server.share.persister.ReadShareGroupStateResult;
import org.apache.kafka.server.share.persister.ReadShareGroupStateSummaryParameters;
import org.apache.kafka.server.share.persister.ReadShareGroupStateSummaryResult;
import org.apache.kafka.server.share.persister.TopicData;
import org.apache.kafka.server.share.persister.WriteShareGroupStateParameters;
import org.apache.kafka.server.share.persister.WriteShareGroupStateResult;

/** How Kafka's group coordinator library reaches the state of share groups: in this process, patiently. */
public final class StatePersister implements Persister {
    private final PatientShareState state;

    /** Keeps nothing of its own. */
    public StatePersister(PatientShareState state) {
        this.state = state;
    }

    @Override
    public CompletableFuture<InitializeShareGroupStateResult> initializeState(
            InitializeShareGroupStateParameters parameters) {
        return each(
                parameters.groupTopicPartitionData(),
                (key, partition) -> state.initialize(key, toInitialize(partition))
                        .thenApply(answer -> {
                            told(key, answer.errorCode());
                            return answer;
                        }),
                (topicId, partitions) -> new InitializeShareGroupStateResponseData.InitializeStateResult()
                        .setTopicId(topicId)
                        .setPartitions(partitions),
                results -> InitializeShareGroupStateResult.from(
                        new InitializeShareGroupStateResponseData().setResults(results)));
    }

    @Override
    public CompletableFuture<ReadShareGroupStateResult> readState(ReadShareGroupStateParameters parameters) {
        return each(
                parameters.groupTopicPartitionData(),
                (key, partition) -> state.read(key, partition.leaderEpoch()),
                (topicId, partitions) -> new ReadShareGroupStateResponseData.ReadStateResult()
                        .setTopicId(topicId)
                        .setPartitions(partitions),
                results -> ReadShareGroupStateResult.from(new ReadShareGroupStateResponseData().setResults(results)));
    }

    @Override
    public CompletableFuture<WriteShareGroupStateResult> writeState(WriteShareGroupStateParameters parameters) {
        return each(
                parameters.groupTopicPartitionData(),
                (key, partition) -> state.write(key, toWrite(partition)),
                (topicId, partitions) -> new WriteShareGroupStateResponseData.WriteStateResult()
                        .setTopicId(topicId)
                        .setPartitions(partitions),
                results -> WriteShareGroupStateResult.from(new WriteShareGroupStateResponseData().setResults(results)));
    }

    @Override
    public CompletableFuture<DeleteShareGroupStateResult> deleteState(DeleteShareGroupStateParameters parameters) {
        return each(
                parameters.groupTopicPartitionData(),
                (key, partition) -> state.delete(key).thenApply(answer -> {
                    told(key, answer.errorCode());
                    return answer;
                }),
                (topicId, partitions) -> new DeleteShareGroupStateResponseData.DeleteStateResult()
                        .setTopicId(topicId)
                        .setPartitions(partitions),
                results ->
                        DeleteShareGroupStateResult.from(new DeleteShareGroupStateResponseData().setResults(results)));
    }

    @Override
    public CompletableFuture<ReadShareGroupStateSummaryResult> readSummary(
            ReadShareGroupStateSummaryParameters parameters) {
        return each(
                parameters.groupTopicPartitionData(),
                (key, partition) -> state.readSummary(key, partition.leaderEpoch()),
                (topicId, partitions) -> new ReadShareGroupStateSummaryResponseData.ReadStateSummaryResult()
                        .setTopicId(topicId)
                        .setPartitions(partitions),
                results -> ReadShareGroupStateSummaryResult.from(
                        new ReadShareGroupStateSummaryResponseData().setResults(results)));
    }

    private void told(PatientShareState.Key key, short errorCode) {
        if (errorCode == Errors.NONE.code()) {
            state.tellReplaced(key);
        }
    }

    private static InitializeShareGroupStateRequestData.PartitionData toInitialize(PartitionStateData partition) {
        return new InitializeShareGroupStateRequestData.PartitionData()
                .setPartition(partition.partition())
                .setStateEpoch(partition.stateEpoch())
                .setStartOffset(partition.startOffset());
    }

    private static WriteShareGroupStateRequestData.PartitionData toWrite(PartitionStateBatchData partition) {
        return new WriteShareGroupStateRequestData.PartitionData()
                .setPartition(partition.partition())
                .setStateEpoch(partition.stateEpoch())
                .setLeaderEpoch(partition.leaderEpoch())
                .setStartOffset(partition.startOffset())
                .setDeliveryCompleteCount(partition.deliveryCompleteCount())
                .setStateBatches(partition.stateBatches().stream()
                        .map(batch -> new WriteShareGroupStateRequestData.StateBatch()
                                .setFirstOffset(batch.firstOffset())
                                .setLastOffset(batch.lastOffset())
                                .setDeliveryState(batch.deliveryState())
                                .setDeliveryCount(batch.deliveryCount()))
                        .toList());
    }

    /** Asks for every partition by itself, and puts the answers together by topic. */
    private static <P extends PartitionInfoData & PartitionIdData, A, T, R> CompletableFuture<R> each(
            GroupTopicPartitionData<P> data,
            BiFunction<PatientShareState.Key, P, CompletionStage<A>> question,
            BiFunction<Uuid, List<A>, T> topicResult,
            Function<List<T>, R> result) {
        List<CompletableFuture<T>> topics = new ArrayList<>();
        for (TopicData<P> topic : data.topicsData()) {
            List<CompletableFuture<A>> answers = topic.partitions().stream()
                    .map(partition -> question.apply(
                                    new PatientShareState.Key(data.groupId(), topic.topicId(), partition.partition()),
                                    partition)
                            .toCompletableFuture())
                    .toList();
            topics.add(all(answers).thenApply(given -> topicResult.apply(topic.topicId(), given)));
        }
        return all(topics).thenApply(result);
    }

    private static <A> CompletableFuture<List<A>> all(List<CompletableFuture<A>> stages) {
        return CompletableFuture.allOf(stages.toArray(CompletableFuture<?>[]::new))
                .thenApply(
                        nothing -> stages.stream().map(CompletableFuture::join).toList());
    }

    /** The state outlives the library: whoever made it closes it. */
    @Override
    public void stop() {}
}
