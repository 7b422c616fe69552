package io.sluice.coordinator.library;

import static io.sluice.coordinator.library.GroupsHarness.await;
import static io.sluice.coordinator.library.GroupsHarness.call;
import static io.sluice.coordinator.library.GroupsHarness.firstError;
import static io.sluice.coordinator.library.GroupsHarness.joinRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.metadata.TopicImage;
import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.runtime.MetadataTranslator;
import io.sluice.coordinator.runtime.SteppedTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The errors that clients of classic and consumer groups live by, one for each wrong step. */
class GroupErrorsTest {
    private GroupsHarness node = new GroupsHarness();

    @BeforeEach
    void locate() {
        node.locate("g");
    }

    @AfterEach
    void close() {
        node.close();
    }

    private Errors joinError(JoinGroupRequestData request) {
        return Errors.forCode(node.settled(
                        () -> node.groups.joinGroup(call(ApiKeys.JOIN_GROUP), request),
                        JoinGroupResponseData::errorCode)
                .errorCode());
    }

    @Test
    void aNewMemberIsGivenAnIdBeforeItMayJoin() {
        JoinGroupResponseData first = node.join("g", "", "range");

        assertThat(first.errorCode()).isEqualTo(Errors.MEMBER_ID_REQUIRED.code());
        assertThat(first.memberId()).startsWith("client-");
        assertThat(node.join("g", first.memberId(), "range").errorCode()).isZero();
    }

    @Test
    void anIdThatNobodyGaveIsUnknown() {
        node.stableMember("g");

        assertThat(joinError(joinRequest("g", "stranger", "range"))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(node.heartbeat("g", "stranger", 1)).isEqualTo(Errors.UNKNOWN_MEMBER_ID.code());
    }

    @Test
    void aSessionOutOfRangeIsRefused() {
        assertThat(joinError(joinRequest("g", "", "range").setSessionTimeoutMs(5_999)))
                .isEqualTo(Errors.INVALID_SESSION_TIMEOUT);
        assertThat(joinError(joinRequest("g", "", "range").setSessionTimeoutMs(1_800_001)))
                .isEqualTo(Errors.INVALID_SESSION_TIMEOUT);
    }

    @Test
    void aProtocolThatNobodyElseSpeaksIsInconsistent() {
        node.stableMember("g");

        assertThat(joinError(joinRequest("g", "", "sticky"))).isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(joinError(joinRequest("g", "", "range").setProtocolType("connect")))
                .isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(joinError(joinRequest("g", ""))).isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
    }

    @Test
    void aGroupNeedsAName() {
        assertThat(joinError(joinRequest("", "", "range"))).isEqualTo(Errors.INVALID_GROUP_ID);
    }

    @Test
    void anEmptyAssignmentIsAnAssignment() {
        JoinGroupResponseData joined = node.joinNew("g");

        SyncGroupResponseData synced = node.sync("g", joined, false);

        assertThat(synced.errorCode()).isZero();
        assertThat(synced.assignment()).isEmpty();
        assertThat(node.heartbeat("g", joined.memberId(), joined.generationId()))
                .isZero();
    }

    @Test
    void synchronisingUnderAnotherGenerationIsIllegal() {
        JoinGroupResponseData joined = node.joinNew("g");
        SyncGroupRequestData request = new SyncGroupRequestData()
                .setGroupId("g")
                .setMemberId(joined.memberId())
                .setGenerationId(joined.generationId() + 1);

        assertThat(await(node.groups.syncGroup(call(ApiKeys.SYNC_GROUP), request))
                        .errorCode())
                .isEqualTo(Errors.ILLEGAL_GENERATION.code());
    }

    @Test
    void heartbeatsTellOfARebalanceAndCommitsGoOnMeanwhile() {
        TopicImage topic = node.cluster.create("t", 1);
        JoinGroupResponseData member = node.stableMember("g");
        JoinGroupResponseData second = node.join("g", "", "range");
        CompletableFuture<JoinGroupResponseData> waiting = node.groups
                .joinGroup(call(ApiKeys.JOIN_GROUP), joinRequest("g", second.memberId(), "range"))
                .toCompletableFuture();

        assertThat(node.heartbeat("g", member.memberId(), member.generationId()))
                .isEqualTo(Errors.REBALANCE_IN_PROGRESS.code());
        assertThat(firstError(await(node.commitLater("g", member.memberId(), member.generationId(), topic, 1))))
                .isZero();

        JoinGroupResponseData rejoined = node.join("g", member.memberId(), "range");
        assertThat(rejoined.generationId()).isEqualTo(member.generationId() + 1);
        assertThat(await(waiting).generationId()).isEqualTo(rejoined.generationId());
        assertThat(firstError(await(node.commitLater("g", member.memberId(), member.generationId(), topic, 2))))
                .isEqualTo(Errors.ILLEGAL_GENERATION.code());
        assertThat(firstError(await(node.commitLater("g", member.memberId(), rejoined.generationId(), topic, 2))))
                .isEqualTo(Errors.REBALANCE_IN_PROGRESS.code());
    }

    @Test
    void aCommitFromOutsideNeedsAnEmptyGroup() {
        TopicImage topic = node.cluster.create("t", 1);
        node.stableMember("g");

        assertThat(node.commit("g", topic, 1)).isEqualTo(Errors.UNKNOWN_MEMBER_ID.code());
        assertThat(node.commit("empty", topic, 1)).isZero();
    }

    @Test
    void aCommitOfAMemberNobodyKnowsIsRefused() {
        TopicImage topic = node.cluster.create("t", 1);
        node.stableMember("g");

        assertThat(firstError(await(node.commitLater("g", "stranger", 1, topic, 1))))
                .isEqualTo(Errors.UNKNOWN_MEMBER_ID.code());
    }

    @Test
    void tooMuchMetadataIsRefused() {
        TopicImage topic = node.cluster.create("t", 1);
        node.commit("g", topic, 1);
        OffsetCommitRequestData request = new OffsetCommitRequestData()
                .setGroupId("g")
                .setMemberId("")
                .setGenerationIdOrMemberEpoch(-1)
                .setTopics(List.of(new OffsetCommitRequestData.OffsetCommitRequestTopic()
                        .setName("t")
                        .setTopicId(MetadataTranslator.uuid(topic.id()))
                        .setPartitions(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(2)
                                .setCommittedMetadata("x".repeat(4_097))))));

        assertThat(firstError(await(node.groups.commitOffsets(call(ApiKeys.OFFSET_COMMIT), request))))
                .isEqualTo(Errors.OFFSET_METADATA_TOO_LARGE.code());
    }

    @Test
    void aStaticMemberComesBackUnderItsInstanceAndFencesItsOldSelf() {
        JoinGroupRequestData first = joinRequest("g", "", "range").setGroupInstanceId("i1");
        JoinGroupResponseData joined = node.settled(
                () -> node.groups.joinGroup(call(ApiKeys.JOIN_GROUP), first), JoinGroupResponseData::errorCode);
        SyncGroupRequestData sync = new SyncGroupRequestData()
                .setGroupId("g")
                .setGroupInstanceId("i1")
                .setMemberId(joined.memberId())
                .setGenerationId(joined.generationId());
        assertThat(await(node.groups.syncGroup(call(ApiKeys.SYNC_GROUP), sync)).errorCode())
                .isZero();

        JoinGroupResponseData back = await(node.groups.joinGroup(call(ApiKeys.JOIN_GROUP), first));

        assertThat(back.errorCode()).isZero();
        assertThat(back.generationId()).isEqualTo(joined.generationId());
        assertThat(back.memberId()).isNotEqualTo(joined.memberId());
        assertThat(await(node.groups.syncGroup(call(ApiKeys.SYNC_GROUP), sync)).errorCode())
                .isEqualTo(Errors.FENCED_INSTANCE_ID.code());
    }

    @Test
    void aGroupWithMembersIsNotDeleted() {
        TopicImage topic = node.cluster.create("t", 1);
        JoinGroupResponseData member = node.stableMember("g");
        node.locate("unknown");
        node.commit("other", topic, 1);

        assertThat(deleteError("g")).isEqualTo(Errors.NON_EMPTY_GROUP);
        assertThat(deleteError("unknown")).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
        assertThat(deleteError("other")).isEqualTo(Errors.NONE);
        assertThat(node.committed("other", topic)).isEqualTo(-1);
        assertThat(leave(member).errorCode()).isZero();
        assertThat(deleteError("g")).isEqualTo(Errors.NONE);
    }

    private Errors deleteError(String group) {
        DeletableGroupResult result = await(node.groups.deleteGroups(call(ApiKeys.DELETE_GROUPS), List.of(group)))
                .find(group);
        return Errors.forCode(result.errorCode());
    }

    private LeaveGroupResponseData leave(JoinGroupResponseData member) {
        return await(node.groups.leaveGroup(
                call(ApiKeys.LEAVE_GROUP),
                new LeaveGroupRequestData()
                        .setGroupId("g")
                        .setMembers(
                                List.of(new LeaveGroupRequestData.MemberIdentity().setMemberId(member.memberId())))));
    }

    @Test
    void aFullGroupTakesNoMore() {
        node.close();
        node = new GroupsHarness(new InMemoryCluster(), new SteppedTime(), Map.of("group.max.size", "1"));
        node.locate("g");
        node.stableMember("g");

        assertThat(joinError(joinRequest("g", "", "range"))).isEqualTo(Errors.GROUP_MAX_SIZE_REACHED);
    }

    @Test
    void aConsumerGroupMemberMustNameItselfAndItsEpoch() {
        ConsumerGroupHeartbeatRequestData stranger = new ConsumerGroupHeartbeatRequestData()
                .setGroupId("g")
                .setMemberId("stranger")
                .setMemberEpoch(3);

        assertThat(node.consumerHeartbeat(stranger).errorCode()).isEqualTo(Errors.GROUP_ID_NOT_FOUND.code());
        assertThat(node.consumerHeartbeat(new ConsumerGroupHeartbeatRequestData()
                                .setGroupId("g")
                                .setMemberId("")
                                .setMemberEpoch(0))
                        .errorCode())
                .isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(node.consumerHeartbeat(joinConsumer().setServerAssignor("nonsense"))
                        .errorCode())
                .isEqualTo(Errors.UNSUPPORTED_ASSIGNOR.code());
        assertThat(node.consumerHeartbeat(
                                joinConsumer().setSubscribedTopicNames(null).setSubscribedTopicRegex("["))
                        .errorCode())
                .isEqualTo(Errors.INVALID_REGULAR_EXPRESSION.code());
    }

    private static ConsumerGroupHeartbeatRequestData joinConsumer() {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId("g")
                .setMemberId("m1")
                .setMemberEpoch(0)
                .setRebalanceTimeoutMs(10_000)
                .setSubscribedTopicNames(List.of("t"))
                .setTopicPartitions(List.of());
    }
}
