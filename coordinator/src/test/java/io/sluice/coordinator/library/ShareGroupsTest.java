package io.sluice.coordinator.library;

import static io.sluice.coordinator.library.GroupsHarness.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.metadata.TopicImage;
import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.runtime.MetadataTranslator;
import io.sluice.coordinator.runtime.SteppedTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.AlterShareGroupOffsetsResponseData;
import org.apache.kafka.common.message.DeleteShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsRequestData.DescribeShareGroupOffsetsRequestGroup;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsRequestData.DescribeShareGroupOffsetsRequestTopic;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsResponseData.DescribeShareGroupOffsetsResponseGroup;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsResponseData.DescribeShareGroupOffsetsResponsePartition;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateRequestData;
import org.apache.kafka.common.message.ShareGroupDescribeResponseData;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.message.WriteShareGroupStateRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Members and start offsets of share groups, with their state in a log of its own. */
class ShareGroupsTest {
    private static final String GROUP = "sharers";
    private static final String MEMBER = "kLmNoPqRSTeUvWxYz12345";

    private GroupsHarness harness =
            new GroupsHarness(new InMemoryCluster(), new SteppedTime(), Map.of("group.share.max.size", "2"));
    private TopicImage topic = harness.cluster.create("t", 3);

    @BeforeEach
    void locate() {
        harness.locate(GROUP);
    }

    @AfterEach
    void close() {
        harness.close();
    }

    /** What is asked waits for time in places: so a little of it passes while there is no answer, not enough for a session. */
    private <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        for (int i = 0; i < 1000 && !future.isDone(); i++) {
            harness.time.advanceMillis(20);
            CompletableFuture<?> answered = future.handle((answer, failure) -> null);
            assertThat(answered.completeOnTimeout(null, 20, TimeUnit.MILLISECONDS)
                            .join())
                    .isNull();
        }
        return future.orTimeout(1, TimeUnit.SECONDS).join();
    }

    private <T> T eventually(Supplier<CompletionStage<T>> question, Predicate<T> wanted) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(GroupsHarness.TIMEOUT_SECONDS);
        T answer = await(question.get());
        while (!wanted.test(answer) && System.nanoTime() - deadline < 0) {
            harness.time.advanceMillis(10);
            answer = await(question.get());
        }
        assertThat(answer).matches(wanted);
        return answer;
    }

    private ShareGroupHeartbeatResponseData heartbeat(String member, int epoch, String... topics) {
        ShareGroupHeartbeatRequestData request = new ShareGroupHeartbeatRequestData()
                .setGroupId(GROUP)
                .setMemberId(member)
                .setMemberEpoch(epoch);
        if (topics.length > 0) {
            request.setSubscribedTopicNames(List.of(topics));
        }
        return eventually(
                () -> harness.groups
                        .shareGroupHeartbeat(call(ApiKeys.SHARE_GROUP_HEARTBEAT), request)
                        .exceptionally(failure -> new ShareGroupHeartbeatResponseData()
                                .setErrorCode(
                                        Errors.forException(failure.getCause()).code())),
                answer -> answer.errorCode() != Errors.COORDINATOR_LOAD_IN_PROGRESS.code()
                        && answer.errorCode() != Errors.NOT_COORDINATOR.code());
    }

    /** Joins, and asks until there is an assignment. */
    private ShareGroupHeartbeatResponseData join(String member) {
        ShareGroupHeartbeatResponseData joined = heartbeat(member, 0, "t");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(GroupsHarness.TIMEOUT_SECONDS);
        while ((joined.assignment() == null
                        || joined.assignment().topicPartitions().isEmpty())
                && System.nanoTime() - deadline < 0) {
            assertThat(joined.errorCode()).as(joined.toString()).isZero();
            harness.time.advanceMillis(100);
            joined = heartbeat(member, joined.memberEpoch(), "t");
        }
        return joined;
    }

    private DescribeShareGroupOffsetsResponsePartition offset(int partition) {
        DescribeShareGroupOffsetsResponseGroup group = await(harness.groups.describeShareGroupOffsets(
                call(ApiKeys.DESCRIBE_SHARE_GROUP_OFFSETS),
                new DescribeShareGroupOffsetsRequestGroup()
                        .setGroupId(GROUP)
                        .setTopics(List.of(new DescribeShareGroupOffsetsRequestTopic()
                                .setTopicName("t")
                                .setPartitions(List.of(partition))))));
        assertThat(group.errorCode()).isZero();
        return group.topics().get(0).partitions().get(0);
    }

    private AlterShareGroupOffsetsResponseData alter(int partition, long offset) {
        AlterShareGroupOffsetsRequestData request = new AlterShareGroupOffsetsRequestData().setGroupId(GROUP);
        request.topics()
                .add(new AlterShareGroupOffsetsRequestData.AlterShareGroupOffsetsRequestTopic()
                        .setTopicName("t")
                        .setPartitions(
                                List.of(new AlterShareGroupOffsetsRequestData.AlterShareGroupOffsetsRequestPartition()
                                        .setPartitionIndex(partition)
                                        .setStartOffset(offset))));
        return await(harness.groups.alterShareGroupOffsets(call(ApiKeys.ALTER_SHARE_GROUP_OFFSETS), request));
    }

    private Errors readState(int partition) {
        return Errors.forCode(await(harness.shares.read(new ReadShareGroupStateRequestData()
                        .setGroupId(GROUP)
                        .setTopics(List.of(new ReadShareGroupStateRequestData.ReadStateData()
                                .setTopicId(id())
                                .setPartitions(List.of(new ReadShareGroupStateRequestData.PartitionData()
                                        .setPartition(partition)
                                        .setLeaderEpoch(0)))))))
                .results()
                .get(0)
                .partitions()
                .get(0)
                .errorCode());
    }

    private Uuid id() {
        return MetadataTranslator.uuid(topic.id());
    }

    @Test
    void assignsAllPartitionsToOneMember() {
        ShareGroupHeartbeatResponseData joined = join(MEMBER);

        assertThat(joined.memberId()).isEqualTo(MEMBER);
        assertThat(joined.memberEpoch()).isPositive();
        assertThat(joined.heartbeatIntervalMs()).isEqualTo(5000);
        assertThat(Objects.requireNonNull(joined.assignment()).topicPartitions())
                .singleElement()
                .satisfies(assigned -> {
                    assertThat(assigned.topicId()).isEqualTo(id());
                    assertThat(assigned.partitions()).containsExactlyInAnyOrder(0, 1, 2);
                });
    }

    @Test
    void describesAndListsShareGroups() {
        join(MEMBER);

        ShareGroupDescribeResponseData.DescribedGroup described = eventually(
                        () -> harness.groups.shareGroupDescribe(call(ApiKeys.SHARE_GROUP_DESCRIBE), List.of(GROUP)),
                        groups -> groups.get(0).groupState().equals("Stable"))
                .get(0);
        ListGroupsResponseData listed = await(harness.groups.listGroups(
                call(ApiKeys.LIST_GROUPS), new ListGroupsRequestData().setTypesFilter(List.of("share"))));

        assertThat(described.assignorName()).isEqualTo("simple");
        assertThat(described.members()).singleElement().satisfies(member -> {
            assertThat(member.memberId()).isEqualTo(MEMBER);
            assertThat(member.subscribedTopicNames()).containsExactly("t");
        });
        assertThat(listed.groups()).singleElement().satisfies(group -> {
            assertThat(group.groupId()).isEqualTo(GROUP);
            assertThat(group.groupType()).isEqualTo("share");
        });
    }

    @Test
    void refusesOneMemberMoreThanAllowed() {
        join(MEMBER);
        join("aLmNoPqRSTeUvWxYz12345");

        assertThat(heartbeat("bLmNoPqRSTeUvWxYz12345", 0, "t").errorCode())
                .isEqualTo(Errors.GROUP_MAX_SIZE_REACHED.code());
    }

    @Test
    void altersOffsetsOnlyOfGroupsWithoutMembers() {
        join(MEMBER);
        AlterShareGroupOffsetsResponseData refused = alter(0, 5);
        heartbeat(MEMBER, -1);

        AlterShareGroupOffsetsResponseData altered = alter(0, 5);

        assertThat(refused.errorCode()).isEqualTo(Errors.NON_EMPTY_GROUP.code());
        assertThat(altered.errorCode()).isZero();
        assertThat(altered.responses())
                .singleElement()
                .satisfies(answer ->
                        assertThat(answer.partitions().get(0).errorCode()).isZero());
        assertThat(offset(0).startOffset()).isEqualTo(5);
        assertThat(offset(1).startOffset()).isEqualTo(-1);
    }

    @Test
    void keepsOffsetsAcrossARestart() {
        join(MEMBER);
        heartbeat(MEMBER, -1);
        alter(2, 7);

        harness = harness.restart();
        harness.locate(GROUP);
        heartbeat(MEMBER, 0, "t");

        assertThat(offset(2).startOffset()).isEqualTo(7);
    }

    @Test
    void deletesTheStateWithTheOffsets() {
        join(MEMBER);
        heartbeat(MEMBER, -1);
        assertThat(readState(1)).isEqualTo(Errors.NONE);

        var deleted = await(harness.groups.deleteShareGroupOffsets(
                call(ApiKeys.DELETE_SHARE_GROUP_OFFSETS),
                new DeleteShareGroupOffsetsRequestData()
                        .setGroupId(GROUP)
                        .setTopics(List.of(new DeleteShareGroupOffsetsRequestData.DeleteShareGroupOffsetsRequestTopic()
                                .setTopicName("t")))));

        assertThat(deleted.errorCode()).isZero();
        assertThat(deleted.responses().get(0).errorCode()).isZero();
        assertThat(readState(1)).isEqualTo(Errors.INVALID_REQUEST);
    }

    @Test
    void deletesTheStateWithTheGroup() {
        join(MEMBER);
        heartbeat(MEMBER, -1);

        short error = await(harness.groups.deleteGroups(call(ApiKeys.DELETE_GROUPS), List.of(GROUP)))
                .find(GROUP)
                .errorCode();

        assertThat(error).isZero();
        assertThat(readState(0)).isEqualTo(Errors.INVALID_REQUEST);
    }

    private Errors writeState(int stateEpoch, long firstOffset, long lastOffset) {
        return Errors.forCode(await(harness.shares.write(new WriteShareGroupStateRequestData()
                        .setGroupId(GROUP)
                        .setTopics(List.of(new WriteShareGroupStateRequestData.WriteStateData()
                                .setTopicId(id())
                                .setPartitions(List.of(new WriteShareGroupStateRequestData.PartitionData()
                                        .setPartition(0)
                                        .setStateEpoch(stateEpoch)
                                        .setStartOffset(3)
                                        .setStateBatches(List.of(new WriteShareGroupStateRequestData.StateBatch()
                                                .setFirstOffset(firstOffset)
                                                .setLastOffset(lastOffset)
                                                .setDeliveryCount((short) 1)))))))))
                .results()
                .get(0)
                .partitions()
                .get(0)
                .errorCode());
    }

    @Test
    void fencesWritersOfAnOlderStateEpoch() {
        join(MEMBER);
        heartbeat(MEMBER, -1);
        alter(0, 5);

        assertThat(writeState(0, 6, 9)).isEqualTo(Errors.FENCED_STATE_EPOCH);
    }

    @Test
    void refusesBatchesThatAreNoRange() {
        int epoch = join(MEMBER).memberEpoch();

        assertThat(writeState(epoch, 9, 6)).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(writeState(epoch, -1, 6)).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(writeState(epoch, 9, Long.MAX_VALUE)).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(writeState(epoch, 6, 9)).isEqualTo(Errors.NONE);
    }
}
