package io.sluice.coordinator.group;

import io.sluice.coordinator.runtime.CoordinatorLocation;
import io.sluice.coordinator.runtime.TransactionEnd;
import java.util.List;
import java.util.concurrent.CompletionStage;
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

/**
 * Group coordination: members, assignments and committed offsets of classic groups and of consumer groups (KIP-848),
 * members and start offsets of share groups (KIP-932), members and tasks of streams groups (KIP-1071).
 *
 * <p>Every answer that says something was written (a commit, an assignment, a member's new epoch) is given only when it is
 * durable. The join of a classic group writes nothing that its members rely on: it is answered before, as in Kafka. A
 * request for a group whose coordinator is not here, or still loads, is answered with NOT_COORDINATOR,
 * COORDINATOR_NOT_AVAILABLE or COORDINATOR_LOAD_IN_PROGRESS, either inside the answer or as a stage that fails with the
 * exception of that error.
 *
 * <p>Threads: safe on every thread; nothing blocks. Stages complete on the coordinator's thread.
 */
public interface GroupPort extends AutoCloseable {
    /** Name of the topic that holds groups and offsets, in Kafka's record format. */
    String OFFSETS_TOPIC = "__consumer_offsets";

    /** Where the group's coordinator is. Creates the offsets topic if there is none yet. Never fails. */
    CompletionStage<CoordinatorLocation> locate(String groupId);

    /** JoinGroup. */
    CompletionStage<JoinGroupResponseData> joinGroup(GroupCall call, JoinGroupRequestData request);

    /** SyncGroup. */
    CompletionStage<SyncGroupResponseData> syncGroup(GroupCall call, SyncGroupRequestData request);

    /** Heartbeat. */
    CompletionStage<HeartbeatResponseData> heartbeat(GroupCall call, HeartbeatRequestData request);

    /** LeaveGroup, with a list of members whatever the version. */
    CompletionStage<LeaveGroupResponseData> leaveGroup(GroupCall call, LeaveGroupRequestData request);

    /** ListGroups: those whose coordinator is here. */
    CompletionStage<ListGroupsResponseData> listGroups(GroupCall call, ListGroupsRequestData request);

    /** DescribeGroups, classic ones. */
    CompletionStage<List<DescribeGroupsResponseData.DescribedGroup>> describeGroups(
            GroupCall call, List<String> groupIds);

    /** DeleteGroups. */
    CompletionStage<DeleteGroupsResponseData.DeletableGroupResultCollection> deleteGroups(
            GroupCall call, List<String> groupIds);

    /** ConsumerGroupHeartbeat (KIP-848). */
    CompletionStage<ConsumerGroupHeartbeatResponseData> consumerGroupHeartbeat(
            GroupCall call, ConsumerGroupHeartbeatRequestData request);

    /** ConsumerGroupDescribe (KIP-848). */
    CompletionStage<List<ConsumerGroupDescribeResponseData.DescribedGroup>> consumerGroupDescribe(
            GroupCall call, List<String> groupIds);

    /** ShareGroupHeartbeat (KIP-932). */
    CompletionStage<ShareGroupHeartbeatResponseData> shareGroupHeartbeat(
            GroupCall call, ShareGroupHeartbeatRequestData request);

    /** ShareGroupDescribe (KIP-932). */
    CompletionStage<List<ShareGroupDescribeResponseData.DescribedGroup>> shareGroupDescribe(
            GroupCall call, List<String> groupIds);

    /**
     * DescribeShareGroupOffsets for one group.
     *
     * @param group topics null asks for everything the group has state of
     */
    CompletionStage<DescribeShareGroupOffsetsResponseData.DescribeShareGroupOffsetsResponseGroup>
            describeShareGroupOffsets(
                    GroupCall call, DescribeShareGroupOffsetsRequestData.DescribeShareGroupOffsetsRequestGroup group);

    /** AlterShareGroupOffsets. Topics exist. */
    CompletionStage<AlterShareGroupOffsetsResponseData> alterShareGroupOffsets(
            GroupCall call, AlterShareGroupOffsetsRequestData request);

    /** DeleteShareGroupOffsets. */
    CompletionStage<DeleteShareGroupOffsetsResponseData> deleteShareGroupOffsets(
            GroupCall call, DeleteShareGroupOffsetsRequestData request);

    /** StreamsGroupHeartbeat (KIP-1071). Topics of the topology have names that are allowed, and are no internal ones. */
    CompletionStage<StreamsHeartbeat> streamsGroupHeartbeat(GroupCall call, StreamsGroupHeartbeatRequestData request);

    /**
     * StreamsGroupDescribe (KIP-1071).
     *
     * @param withTopology whether descriptions of topologies are wanted (KIP-1331); none are kept
     */
    CompletionStage<List<StreamsGroupDescribeResponseData.DescribedGroup>> streamsGroupDescribe(
            GroupCall call, List<String> groupIds, boolean withTopology);

    /** StreamsGroupTopologyDescriptionUpdate (KIP-1331): refused with UNSUPPORTED_VERSION, as no descriptions are kept. */
    CompletionStage<StreamsGroupTopologyDescriptionUpdateResponseData> updateStreamsTopologyDescription(
            GroupCall call, StreamsGroupTopologyDescriptionUpdateRequestData request);

    /** OffsetCommit. Topics have both name and id and exist. */
    CompletionStage<OffsetCommitResponseData> commitOffsets(GroupCall call, OffsetCommitRequestData request);

    /**
     * TxnOffsetCommit: offsets that count once the transaction is committed. The log asks the transaction's coordinator first.
     * Topics exist.
     */
    CompletionStage<TxnOffsetCommitResponseData> commitTransactionalOffsets(
            GroupCall call, TxnOffsetCommitRequestData request);

    /**
     * Ends a transaction in one partition of the offsets topic: its offsets count from then on, or are dropped. Completes when
     * the marker is durable; fails with the exception of the error.
     */
    CompletionStage<Void> completeTransaction(int partition, TransactionEnd end);

    /**
     * OffsetFetch for one group.
     *
     * @param group topics null asks for everything committed
     * @param requireStable whether offsets of open transactions make the answer UNSTABLE_OFFSET_COMMIT (KIP-447)
     */
    CompletionStage<OffsetFetchResponseData.OffsetFetchResponseGroup> fetchOffsets(
            GroupCall call, OffsetFetchRequestData.OffsetFetchRequestGroup group, boolean requireStable);

    /** OffsetDelete (KIP-496). */
    CompletionStage<OffsetDeleteResponseData> deleteOffsets(GroupCall call, OffsetDeleteRequestData request);

    /** Stops within two seconds; later calls fail with COORDINATOR_NOT_AVAILABLE. */
    @Override
    void close();
}
