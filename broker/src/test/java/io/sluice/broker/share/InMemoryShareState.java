package io.sluice.broker.share;

import io.sluice.coordinator.runtime.CoordinatorLocation;
import io.sluice.coordinator.share.ShareStatePort;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteShareGroupStateRequestData;
import org.apache.kafka.common.message.DeleteShareGroupStateResponseData;
import org.apache.kafka.common.message.InitializeShareGroupStateRequestData;
import org.apache.kafka.common.message.InitializeShareGroupStateResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateRequestData;
import org.apache.kafka.common.message.ReadShareGroupStateResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateSummaryRequestData;
import org.apache.kafka.common.message.ReadShareGroupStateSummaryResponseData;
import org.apache.kafka.common.message.WriteShareGroupStateRequestData;
import org.apache.kafka.common.message.WriteShareGroupStateResponseData;
import org.apache.kafka.coordinator.share.PersisterStateBatchCombiner;
import org.apache.kafka.server.share.persister.PersisterStateBatch;

/** Share partitions' state in memory, by the library's rules, at once, or when a test says so. Of one share partition in a request. For one thread. */
final class InMemoryShareState implements ShareStatePort {
    private final Map<String, Kept> kept = new HashMap<>();
    private final Set<Integer> held = new HashSet<>();
    private final Map<Integer, CompletableFuture<Void>> released = new HashMap<>();

    private record Kept(long startOffset, List<PersisterStateBatch> batches) {
        static final Kept NOTHING = new Kept(-1, List.of());
    }

    /** What is asked for a partition's state, in any topic, is not answered until {@link #answerReads}. */
    void holdReads(int partition) {
        held.add(partition);
    }

    /** Answers all who asked for a partition's state. */
    void answerReads(int partition) {
        held.remove(partition);
        CompletableFuture<Void> asked = released.remove(partition);
        if (asked != null) {
            asked.complete(null);
        }
    }

    private CompletionStage<Void> awaitRead(int partition) {
        return held.contains(partition)
                ? released.computeIfAbsent(partition, key -> new CompletableFuture<>())
                : CompletableFuture.completedFuture(null);
    }

    private static String key(String groupId, Uuid topicId, int partition) {
        return groupId + ":" + topicId + ":" + partition;
    }

    @Override
    public CompletionStage<CoordinatorLocation> locate(String key) {
        return CompletableFuture.completedFuture(new CoordinatorLocation.At(1));
    }

    @Override
    public CompletionStage<ReadShareGroupStateResponseData> read(ReadShareGroupStateRequestData request) {
        var topic = request.topics().get(0);
        int partition = topic.partitions().get(0).partition();
        return awaitRead(partition).thenApply(nothing -> readNow(request.groupId(), topic.topicId(), partition));
    }

    private ReadShareGroupStateResponseData readNow(String groupId, Uuid topicId, int partition) {
        Kept found = kept.getOrDefault(key(groupId, topicId, partition), Kept.NOTHING);
        return new ReadShareGroupStateResponseData()
                .setResults(List.of(new ReadShareGroupStateResponseData.ReadStateResult()
                        .setTopicId(topicId)
                        .setPartitions(List.of(new ReadShareGroupStateResponseData.PartitionResult()
                                .setPartition(partition)
                                .setStartOffset(found.startOffset())
                                .setStateBatches(found.batches().stream()
                                        .map(batch -> new ReadShareGroupStateResponseData.StateBatch()
                                                .setFirstOffset(batch.firstOffset())
                                                .setLastOffset(batch.lastOffset())
                                                .setDeliveryState(batch.deliveryState())
                                                .setDeliveryCount(batch.deliveryCount()))
                                        .toList())))));
    }

    @Override
    public CompletionStage<WriteShareGroupStateResponseData> write(WriteShareGroupStateRequestData request) {
        var topic = request.topics().get(0);
        var partition = topic.partitions().get(0);
        kept.merge(
                key(request.groupId(), topic.topicId(), partition.partition()),
                new Kept(
                        partition.startOffset(),
                        partition.stateBatches().stream()
                                .map(PersisterStateBatch::from)
                                .toList()),
                InMemoryShareState::combine);
        return CompletableFuture.completedFuture(new WriteShareGroupStateResponseData()
                .setResults(List.of(new WriteShareGroupStateResponseData.WriteStateResult()
                        .setTopicId(topic.topicId())
                        .setPartitions(List.of(new WriteShareGroupStateResponseData.PartitionResult()
                                .setPartition(partition.partition()))))));
    }

    private static Kept combine(Kept before, Kept said) {
        long start = Math.max(before.startOffset(), said.startOffset());
        return new Kept(
                start, new PersisterStateBatchCombiner(before.batches(), said.batches(), start).combineStateBatches());
    }

    @Override
    public CompletionStage<InitializeShareGroupStateResponseData> initialize(
            InitializeShareGroupStateRequestData request) {
        var topic = request.topics().get(0);
        var partition = topic.partitions().get(0);
        kept.put(
                key(request.groupId(), topic.topicId(), partition.partition()),
                new Kept(partition.startOffset(), List.of()));
        return CompletableFuture.completedFuture(new InitializeShareGroupStateResponseData()
                .setResults(List.of(new InitializeShareGroupStateResponseData.InitializeStateResult()
                        .setTopicId(topic.topicId())
                        .setPartitions(List.of(new InitializeShareGroupStateResponseData.PartitionResult()
                                .setPartition(partition.partition()))))));
    }

    @Override
    public CompletionStage<DeleteShareGroupStateResponseData> delete(DeleteShareGroupStateRequestData request) {
        var topic = request.topics().get(0);
        int partition = topic.partitions().get(0).partition();
        kept.remove(key(request.groupId(), topic.topicId(), partition));
        return CompletableFuture.completedFuture(new DeleteShareGroupStateResponseData()
                .setResults(List.of(new DeleteShareGroupStateResponseData.DeleteStateResult()
                        .setTopicId(topic.topicId())
                        .setPartitions(List.of(
                                new DeleteShareGroupStateResponseData.PartitionResult().setPartition(partition))))));
    }

    @Override
    public CompletionStage<ReadShareGroupStateSummaryResponseData> readSummary(
            ReadShareGroupStateSummaryRequestData request) {
        var topic = request.topics().get(0);
        int partition = topic.partitions().get(0).partition();
        Kept found = kept.getOrDefault(key(request.groupId(), topic.topicId(), partition), Kept.NOTHING);
        return CompletableFuture.completedFuture(new ReadShareGroupStateSummaryResponseData()
                .setResults(List.of(new ReadShareGroupStateSummaryResponseData.ReadStateSummaryResult()
                        .setTopicId(topic.topicId())
                        .setPartitions(List.of(new ReadShareGroupStateSummaryResponseData.PartitionResult()
                                .setPartition(partition)
                                .setStartOffset(found.startOffset()))))));
    }

    @Override
    public void close() {}
}
