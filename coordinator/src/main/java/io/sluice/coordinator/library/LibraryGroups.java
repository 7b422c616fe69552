package io.sluice.coordinator.library;

import io.sluice.coordinator.group.GroupCall;
import io.sluice.coordinator.group.GroupConfigRules;
import io.sluice.coordinator.group.GroupPort;
import io.sluice.coordinator.group.StreamsHeartbeat;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.CoordinatorLife;
import io.sluice.coordinator.runtime.CoordinatorLocation;
import io.sluice.coordinator.runtime.InternalTopics;
import io.sluice.coordinator.runtime.TransactionEnd;
import io.sluice.coordinator.runtime.TransactionVerifier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.AlterShareGroupOffsetsResponseData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.DeleteShareGroupOffsetsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.ShareGroupDescribeResponseData;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupTopologyDescriptionUpdateRequestData;
import org.apache.kafka.common.message.StreamsGroupTopologyDescriptionUpdateResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.coordinator.group.GroupCoordinatorService;
import org.apache.kafka.server.share.persister.Persister;

/** Group coordination by Kafka's own library. */
public final class LibraryGroups implements GroupPort {
    private final CoordinatorLife<LibraryRun> life;
    private final PostponedEndpoints endpoints = new PostponedEndpoints();

    /**
     * Idle coordination; listens to metadata and ownership from now on.
     *
     * @param transactions asked before offsets are committed in a transaction
     * @param shareState where the state of share groups is initialized, described and deleted
     * @throws io.sluice.base.config.ConfigException for settings that do not go together
     */
    public LibraryGroups(CoordinatorEnvironment env, TransactionVerifier transactions, Persister shareState) {
        GroupConfigRules.check(env.config());
        this.life = new CoordinatorLife<>(
                "Group coordination",
                env,
                InternalTopics.Spec.ofOffsets(env.config()),
                topic -> new LibraryRun(env, transactions, shareState, topic));
    }

    @Override
    public CompletionStage<CoordinatorLocation> locate(String groupId) {
        return life.locate(groupId);
    }

    @Override
    public CompletionStage<JoinGroupResponseData> joinGroup(GroupCall call, JoinGroupRequestData request) {
        return ask(groups -> groups.joinGroup(context(call), request, BufferSupplier.NO_CACHING));
    }

    @Override
    public CompletionStage<SyncGroupResponseData> syncGroup(GroupCall call, SyncGroupRequestData request) {
        return ask(groups -> groups.syncGroup(context(call), request, BufferSupplier.NO_CACHING));
    }

    @Override
    public CompletionStage<HeartbeatResponseData> heartbeat(GroupCall call, HeartbeatRequestData request) {
        return ask(groups -> groups.heartbeat(context(call), request));
    }

    @Override
    public CompletionStage<LeaveGroupResponseData> leaveGroup(GroupCall call, LeaveGroupRequestData request) {
        return ask(groups -> groups.leaveGroup(context(call), request));
    }

    @Override
    public CompletionStage<ListGroupsResponseData> listGroups(GroupCall call, ListGroupsRequestData request) {
        if (life.topic() == null) {
            return CompletableFuture.completedFuture(new ListGroupsResponseData());
        }
        return ask(groups -> groups.listGroups(context(call), request));
    }

    /**
     * Joins are answered before the group's first record is durable, and descriptions are read from what is durable: so
     * this waits for what is being written, in order that a member that has just joined is seen.
     */
    @Override
    public CompletionStage<List<DescribeGroupsResponseData.DescribedGroup>> describeGroups(
            GroupCall call, List<String> groupIds) {
        return ask(groups -> pendingWrites(groups, call, groupIds)
                .thenCompose(nothing -> groups.describeGroups(context(call), groupIds)));
    }

    /** Completes when everything written so far for these groups is durable, or has failed. */
    private static CompletableFuture<Void> pendingWrites(
            GroupCoordinatorService groups, GroupCall call, List<String> groupIds) {
        Map<Integer, String> onePerPartition = new HashMap<>();
        groupIds.forEach(group -> onePerPartition.putIfAbsent(groups.partitionFor(group), group));
        // A stable fetch of nothing is the library's way to wait: it is answered like a write.
        return CompletableFuture.allOf(onePerPartition.values().stream()
                .map(group -> groups.fetchOffsets(
                        context(call),
                        new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                .setGroupId(group)
                                .setTopics(List.of()),
                        true))
                .toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public CompletionStage<DeleteGroupsResponseData.DeletableGroupResultCollection> deleteGroups(
            GroupCall call, List<String> groupIds) {
        return ask(groups -> groups.deleteGroups(context(call), groupIds, BufferSupplier.NO_CACHING));
    }

    @Override
    public CompletionStage<ConsumerGroupHeartbeatResponseData> consumerGroupHeartbeat(
            GroupCall call, ConsumerGroupHeartbeatRequestData request) {
        boolean subscribes = request.subscribedTopicNames() != null || request.subscribedTopicRegex() != null;
        return askCaughtUp(subscribes, groups -> groups.consumerGroupHeartbeat(context(call), request));
    }

    @Override
    public CompletionStage<List<ConsumerGroupDescribeResponseData.DescribedGroup>> consumerGroupDescribe(
            GroupCall call, List<String> groupIds) {
        return ask(groups -> groups.consumerGroupDescribe(context(call), groupIds));
    }

    @Override
    public CompletionStage<ShareGroupHeartbeatResponseData> shareGroupHeartbeat(
            GroupCall call, ShareGroupHeartbeatRequestData request) {
        return askCaughtUp(
                request.subscribedTopicNames() != null, groups -> groups.shareGroupHeartbeat(context(call), request));
    }

    @Override
    public CompletionStage<List<ShareGroupDescribeResponseData.DescribedGroup>> shareGroupDescribe(
            GroupCall call, List<String> groupIds) {
        return ask(groups -> groups.shareGroupDescribe(context(call), groupIds));
    }

    @Override
    public CompletionStage<DescribeShareGroupOffsetsResponseData.DescribeShareGroupOffsetsResponseGroup>
            describeShareGroupOffsets(
                    GroupCall call, DescribeShareGroupOffsetsRequestData.DescribeShareGroupOffsetsRequestGroup group) {
        return ask(groups -> group.topics() == null
                ? groups.describeShareGroupAllOffsets(context(call), group)
                : groups.describeShareGroupOffsets(context(call), group));
    }

    @Override
    public CompletionStage<AlterShareGroupOffsetsResponseData> alterShareGroupOffsets(
            GroupCall call, AlterShareGroupOffsetsRequestData request) {
        return askCaughtUp(true, groups -> groups.alterShareGroupOffsets(context(call), request.groupId(), request));
    }

    @Override
    public CompletionStage<DeleteShareGroupOffsetsResponseData> deleteShareGroupOffsets(
            GroupCall call, DeleteShareGroupOffsetsRequestData request) {
        return askCaughtUp(true, groups -> groups.deleteShareGroupOffsets(context(call), request));
    }

    @Override
    public CompletionStage<StreamsHeartbeat> streamsGroupHeartbeat(
            GroupCall call, StreamsGroupHeartbeatRequestData request) {
        return endpoints.ask(request, asked -> streamsHeartbeat(call, asked));
    }

    private CompletionStage<StreamsHeartbeat> streamsHeartbeat(
            GroupCall call, StreamsGroupHeartbeatRequestData request) {
        return askCaughtUp(
                request.topology() != null,
                groups -> groups.streamsGroupHeartbeat(context(call), request)
                        .thenApply(result -> new StreamsHeartbeat(
                                result.data(),
                                List.copyOf(result.creatableTopics().values()))));
    }

    @Override
    public CompletionStage<List<StreamsGroupDescribeResponseData.DescribedGroup>> streamsGroupDescribe(
            GroupCall call, List<String> groupIds, boolean withTopology) {
        return ask(groups -> groups.streamsGroupDescribe(context(call), groupIds, withTopology));
    }

    @Override
    public CompletionStage<StreamsGroupTopologyDescriptionUpdateResponseData> updateStreamsTopologyDescription(
            GroupCall call, StreamsGroupTopologyDescriptionUpdateRequestData request) {
        return ask(groups -> groups.streamsGroupTopologyDescriptionUpdate(context(call), request));
    }

    @Override
    public CompletionStage<OffsetCommitResponseData> commitOffsets(GroupCall call, OffsetCommitRequestData request) {
        return ask(groups -> groups.commitOffsets(context(call), request, BufferSupplier.NO_CACHING));
    }

    @Override
    public CompletionStage<TxnOffsetCommitResponseData> commitTransactionalOffsets(
            GroupCall call, TxnOffsetCommitRequestData request) {
        return ask(groups -> groups.commitTransactionalOffsets(context(call), request, BufferSupplier.NO_CACHING));
    }

    @Override
    public CompletionStage<Void> completeTransaction(int partition, TransactionEnd end) {
        return ask(groups -> groups.completeTransaction(
                new TopicPartition(OFFSETS_TOPIC, partition),
                end.producerId(),
                end.producerEpoch(),
                end.coordinatorEpoch(),
                end.commit() ? TransactionResult.COMMIT : TransactionResult.ABORT,
                end.transactionVersion()));
    }

    @Override
    public CompletionStage<OffsetFetchResponseData.OffsetFetchResponseGroup> fetchOffsets(
            GroupCall call, OffsetFetchRequestData.OffsetFetchRequestGroup group, boolean requireStable) {
        return ask(groups -> groups.fetchOffsets(context(call), group, requireStable));
    }

    @Override
    public CompletionStage<OffsetDeleteResponseData> deleteOffsets(GroupCall call, OffsetDeleteRequestData request) {
        return ask(groups -> groups.deleteOffsets(context(call), request, BufferSupplier.NO_CACHING));
    }

    @Override
    public void close() {
        life.close();
    }

    private static LibraryContext context(GroupCall call) {
        return new LibraryContext(call);
    }

    /** What is named may have been created a moment ago: then the library must have heard of it. */
    private <T> CompletionStage<T> askCaughtUp(
            boolean namesTopics, Function<GroupCoordinatorService, CompletableFuture<T>> question) {
        return namesTopics
                ? life.ask(run -> run.metadataCaughtUp().thenCompose(nothing -> question.apply(run.service())))
                : ask(question);
    }

    private <T> CompletionStage<T> ask(Function<GroupCoordinatorService, CompletableFuture<T>> question) {
        return life.ask(run -> question.apply(run.service()));
    }
}
