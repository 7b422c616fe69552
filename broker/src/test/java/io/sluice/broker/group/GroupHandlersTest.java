package io.sluice.broker.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.broker.fixture.RawClient;
import io.sluice.coordinator.runtime.InMemoryCluster;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DeleteGroupsRequest;
import org.apache.kafka.common.requests.DeleteGroupsResponse;
import org.apache.kafka.common.requests.DescribeGroupsRequest;
import org.apache.kafka.common.requests.DescribeGroupsResponse;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.HeartbeatRequest;
import org.apache.kafka.common.requests.HeartbeatResponse;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.LeaveGroupRequest;
import org.apache.kafka.common.requests.LeaveGroupResponse;
import org.apache.kafka.common.requests.ListGroupsRequest;
import org.apache.kafka.common.requests.ListGroupsResponse;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.requests.OffsetDeleteRequest;
import org.apache.kafka.common.requests.OffsetDeleteResponse;
import org.apache.kafka.common.requests.OffsetFetchRequest;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.apache.kafka.common.requests.SyncGroupRequest;
import org.apache.kafka.common.requests.SyncGroupResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every version of every group API over a socket: what each may say, it says. */
class GroupHandlersTest {
    private GroupsFixture node;
    private RawClient client;

    @BeforeEach
    void start() throws IOException {
        node = new GroupsFixture();
        client = node.connect();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        node.close();
    }

    private static IntStream versions(ApiKeys api) {
        return IntStream.rangeClosed(api.oldestVersion(), api.latestVersion(false));
    }

    static IntStream findCoordinatorVersions() {
        return versions(ApiKeys.FIND_COORDINATOR);
    }

    static IntStream joinVersions() {
        return versions(ApiKeys.JOIN_GROUP);
    }

    static IntStream commitVersions() {
        return versions(ApiKeys.OFFSET_COMMIT);
    }

    static IntStream fetchVersions() {
        return versions(ApiKeys.OFFSET_FETCH);
    }

    private FindCoordinatorResponse find(CoordinatorType type, int version, String... keys) throws IOException {
        FindCoordinatorRequestData data = new FindCoordinatorRequestData();
        if (version >= 1) {
            data.setKeyType(type.id());
        }
        if (version >= FindCoordinatorRequest.MIN_BATCHED_VERSION) {
            data.setCoordinatorKeys(List.of(keys));
        } else {
            data.setKey(keys[0]);
        }
        return client.call(
                new FindCoordinatorRequest.Builder(data).build((short) version), FindCoordinatorResponse.class);
    }

    @ParameterizedTest
    @MethodSource("findCoordinatorVersions")
    void findsTheCoordinatorInEveryVersion(int version) throws IOException {
        List<Coordinator> found = find(CoordinatorType.GROUP, version, "g").coordinators();

        assertThat(found).hasSize(1);
        assertThat(found.get(0).errorCode()).isZero();
        assertThat(found.get(0).nodeId()).isEqualTo(InMemoryCluster.NODE_ID);
        assertThat(found.get(0).host()).isEqualTo("127.0.0.1");
        assertThat(found.get(0).port()).isEqualTo(node.port());
    }

    @Test
    void findsSeveralGroupsAtOnce() throws IOException {
        assertThat(find(CoordinatorType.GROUP, 6, "a", "b", "c").coordinators())
                .extracting(Coordinator::key)
                .containsExactly("a", "b", "c");
    }

    @Test
    void hasNoCoordinatorForTransactions() throws IOException {
        assertThat(find(CoordinatorType.TRANSACTION, 6, "t").errorCounts())
                .containsOnlyKeys(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(find(CoordinatorType.TRANSACTION, 1, "t").error()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
    }

    @Test
    void findsTheCoordinatorOfASharePartitionByItsKey() throws IOException {
        assertThat(find(CoordinatorType.SHARE, 6, "g:AAAAAAAAAAAAAAAAAAAAAQ:0").errorCounts())
                .containsOnlyKeys(Errors.NONE);
        assertThat(find(CoordinatorType.SHARE, 6, "g:0").errorCounts()).containsOnlyKeys(Errors.INVALID_REQUEST);
        assertThat(find(CoordinatorType.SHARE, 5, "g:AAAAAAAAAAAAAAAAAAAAAQ:0").errorCounts())
                .containsOnlyKeys(Errors.INVALID_REQUEST);
    }

    @Test
    void refusesAKeyOfUnknownType() throws IOException {
        FindCoordinatorRequestData data =
                new FindCoordinatorRequestData().setKeyType((byte) 9).setCoordinatorKeys(List.of("k"));

        FindCoordinatorResponse response =
                client.call(new FindCoordinatorRequest.Builder(data).build((short) 6), FindCoordinatorResponse.class);

        assertThat(response.errorCounts()).containsOnlyKeys(Errors.INVALID_REQUEST);
    }

    private JoinGroupResponseData join(String group, int version) throws IOException {
        JoinGroupRequestData data = new JoinGroupRequestData()
                .setGroupId(group)
                .setProtocolType("consumer")
                .setSessionTimeoutMs(10_000)
                .setRebalanceTimeoutMs(version == 0 ? -1 : 10_000);
        data.protocols()
                .add(new JoinGroupRequestData.JoinGroupRequestProtocol()
                        .setName("range")
                        .setMetadata(new byte[] {7}));
        JoinGroupResponseData first = call(data, version);
        if (first.errorCode() != Errors.MEMBER_ID_REQUIRED.code()) {
            return first;
        }
        return call(data.setMemberId(first.memberId()), version);
    }

    private JoinGroupResponseData call(JoinGroupRequestData data, int version) throws IOException {
        return GroupsFixture.settled(
                        client,
                        new JoinGroupRequest(data, (short) version),
                        JoinGroupResponse.class,
                        response -> response.data().errorCode())
                .data();
    }

    @ParameterizedTest
    @MethodSource("joinVersions")
    void aMemberLivesThroughItsWholeLifeInEveryVersion(int version) throws IOException {
        find(CoordinatorType.GROUP, 6, "g");

        JoinGroupResponseData joined = join("g", version);

        assertThat(joined.errorCode()).isZero();
        assertThat(joined.leader()).isEqualTo(joined.memberId());
        assertThat(joined.protocolName()).isEqualTo("range");
        assertThat(sync(joined, version)).containsExactly(5, 6);
        assertThat(heartbeat(joined, version)).isZero();
        assertThat(describe(version).members()).hasSize(1);
        assertThat(leave(joined, version)).isZero();
        assertThat(describe(version).members()).isEmpty();
        assertThat(delete(version)).isZero();
    }

    private byte[] sync(JoinGroupResponseData joined, int version) throws IOException {
        short syncVersion = (short) Math.min(version, ApiKeys.SYNC_GROUP.latestVersion());
        SyncGroupRequestData data = new SyncGroupRequestData()
                .setGroupId("g")
                .setMemberId(joined.memberId())
                .setGenerationId(joined.generationId())
                .setAssignments(List.of(new SyncGroupRequestData.SyncGroupRequestAssignment()
                        .setMemberId(joined.memberId())
                        .setAssignment(new byte[] {5, 6})));
        if (syncVersion >= 5) {
            data.setProtocolType("consumer").setProtocolName("range");
        }
        SyncGroupResponse response = client.call(new SyncGroupRequest(data, syncVersion), SyncGroupResponse.class);
        assertThat(response.data().errorCode()).isZero();
        return response.data().assignment();
    }

    private short heartbeat(JoinGroupResponseData joined, int version) throws IOException {
        HeartbeatRequestData data = new HeartbeatRequestData()
                .setGroupId("g")
                .setMemberId(joined.memberId())
                .setGenerationId(joined.generationId());
        return client.call(
                        new HeartbeatRequest.Builder(data)
                                .build((short) Math.min(version, ApiKeys.HEARTBEAT.latestVersion())),
                        HeartbeatResponse.class)
                .data()
                .errorCode();
    }

    private DescribedGroup describe(int version) throws IOException {
        DescribeGroupsRequestData data =
                new DescribeGroupsRequestData().setGroups(List.of("g")).setIncludeAuthorizedOperations(version >= 3);
        DescribedGroup group = client.call(
                        new DescribeGroupsRequest.Builder(data)
                                .build((short) Math.min(version, ApiKeys.DESCRIBE_GROUPS.latestVersion())),
                        DescribeGroupsResponse.class)
                .data()
                .groups()
                .get(0);
        assertThat(group.errorCode()).isZero();
        assertThat(group.authorizedOperations())
                .isEqualTo(version >= 3 ? GroupCalls.ALL_OPERATIONS : Integer.MIN_VALUE);
        return group;
    }

    private short leave(JoinGroupResponseData joined, int version) throws IOException {
        short leaveVersion = (short) Math.min(version, ApiKeys.LEAVE_GROUP.latestVersion());
        LeaveGroupResponse response = client.call(
                new LeaveGroupRequest.Builder(
                                "g", List.of(new LeaveGroupRequestData.MemberIdentity().setMemberId(joined.memberId())))
                        .build(leaveVersion),
                LeaveGroupResponse.class);
        return response.error().code();
    }

    private short delete(int version) throws IOException {
        DeleteGroupsRequestData data = new DeleteGroupsRequestData().setGroupsNames(List.of("g", "g"));
        DeleteGroupsResponse response = client.call(
                new DeleteGroupsRequest.Builder(data)
                        .build((short) Math.min(version, ApiKeys.DELETE_GROUPS.latestVersion())),
                DeleteGroupsResponse.class);
        assertThat(response.data().results()).hasSize(1);
        return response.get("g").code();
    }

    private OffsetCommitRequestTopic commitTopic(String name, Uuid id, int... partitions) {
        return new OffsetCommitRequestTopic()
                .setName(name)
                .setTopicId(id)
                .setPartitions(IntStream.of(partitions)
                        .mapToObj(partition -> new OffsetCommitRequestPartition()
                                .setPartitionIndex(partition)
                                .setCommittedOffset(40 + partition)
                                .setCommittedMetadata("note"))
                        .toList());
    }

    private OffsetCommitResponse commit(int version, OffsetCommitRequestTopic... topics) throws IOException {
        OffsetCommitRequestData data = new OffsetCommitRequestData()
                .setGroupId("g")
                .setMemberId("")
                .setGenerationIdOrMemberEpoch(-1)
                .setTopics(List.of(topics));
        boolean byId = OffsetCommitResponse.useTopicIds((short) version);
        OffsetCommitRequest request = (byId
                        ? OffsetCommitRequest.Builder.forTopicIdsOrNames(data)
                        : OffsetCommitRequest.Builder.forTopicNames(data))
                .build((short) version);
        return GroupsFixture.settled(client, request, OffsetCommitResponse.class, GroupHandlersTest::loadingError);
    }

    private static int loadingError(OffsetCommitResponse response) {
        return response.errorCounts().keySet().stream()
                .filter(error -> error == Errors.COORDINATOR_LOAD_IN_PROGRESS || error == Errors.NOT_COORDINATOR)
                .mapToInt(Errors::code)
                .findFirst()
                .orElse(0);
    }

    private static List<String> errors(OffsetCommitResponse response) {
        return response.data().topics().stream()
                .flatMap(topic -> topic.partitions().stream()
                        .map(partition -> nameOf(topic) + partition.partitionIndex() + ":"
                                + Errors.forCode(partition.errorCode())))
                .sorted()
                .toList();
    }

    private static String nameOf(OffsetCommitResponseTopic topic) {
        return topic.name().isEmpty() ? "" : topic.name() + "-";
    }

    @ParameterizedTest
    @MethodSource("commitVersions")
    void commitsWhatExistsAndRefusesWhatDoesNot(int version) throws IOException {
        find(CoordinatorType.GROUP, 6, "g");
        TopicImage topic = node.cluster.create("t", 2);
        Uuid id = KafkaIds.toUuid(topic.id());

        OffsetCommitResponse response = commit(
                version, commitTopic("gone", new Uuid(1, 2), 0), commitTopic("t", id, 7), commitTopic("t", id, 0, 1));

        if (OffsetCommitResponse.useTopicIds((short) version)) {
            assertThat(errors(response))
                    .containsExactly("0:NONE", "0:UNKNOWN_TOPIC_ID", "1:NONE", "7:UNKNOWN_TOPIC_OR_PARTITION");
        } else {
            assertThat(errors(response))
                    .containsExactly(
                            "gone-0:UNKNOWN_TOPIC_OR_PARTITION",
                            "t-0:NONE",
                            "t-1:NONE",
                            "t-7:UNKNOWN_TOPIC_OR_PARTITION");
        }
    }

    @Test
    void aCommitOfUnknownTopicsAloneIsAnsweredWithoutTheCoordinator() throws IOException {
        assertThat(errors(commit(9, commitTopic("gone", Uuid.ZERO_UUID, 0))))
                .containsExactly("gone-0:UNKNOWN_TOPIC_OR_PARTITION");
    }

    private OffsetFetchResponseGroup fetch(int version, boolean all, OffsetFetchRequestTopics... topics)
            throws IOException {
        OffsetFetchRequestGroup group =
                new OffsetFetchRequestGroup().setGroupId("g").setTopics(all ? null : List.of(topics));
        OffsetFetchRequestData data = new OffsetFetchRequestData().setGroups(List.of(group));
        boolean byId = OffsetFetchRequest.useTopicIds((short) version);
        OffsetFetchRequest request = (byId
                        ? OffsetFetchRequest.Builder.forTopicIdsOrNames(data, false)
                        : OffsetFetchRequest.Builder.forTopicNames(data, false))
                .build((short) version);
        return client.call(request, OffsetFetchResponse.class).group("g");
    }

    private static List<String> offsets(OffsetFetchResponseGroup group) {
        return group.topics().stream()
                .flatMap(topic -> topic.partitions().stream()
                        .map(partition -> partition.partitionIndex() + ":" + partition.committedOffset() + ":"
                                + Errors.forCode(partition.errorCode())))
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @MethodSource("fetchVersions")
    void fetchesWhatWasCommittedAndNothingElse(int version) throws IOException {
        find(CoordinatorType.GROUP, 6, "g");
        TopicImage topic = node.cluster.create("t", 3);
        Uuid id = KafkaIds.toUuid(topic.id());
        commit(9, commitTopic("t", id, 0, 1));

        List<String> some = offsets(fetch(
                version,
                false,
                new OffsetFetchRequestTopics().setName("t").setTopicId(id).setPartitionIndexes(List.of(0, 2))));

        assertThat(some).containsExactly("0:40:NONE", "2:-1:NONE");
        if (version >= 2) {
            assertThat(offsets(fetch(version, true))).containsExactly("0:40:NONE", "1:41:NONE");
        }
        if (OffsetFetchRequest.useTopicIds((short) version)) {
            assertThat(offsets(fetch(
                            version,
                            false,
                            new OffsetFetchRequestTopics()
                                    .setTopicId(new Uuid(1, 2))
                                    .setPartitionIndexes(List.of(0)))))
                    .containsExactly("0:-1:UNKNOWN_TOPIC_ID");
        }
    }

    @Test
    void aTopicCreatedAgainHasNoOffsetsUnderItsNewId() throws IOException {
        find(CoordinatorType.GROUP, 6, "g");
        commit(9, commitTopic("t", KafkaIds.toUuid(node.cluster.create("t", 1).id()), 0));
        node.cluster.delete("t");
        Uuid newId = KafkaIds.toUuid(node.cluster.create("t", 1).id());

        assertThat(offsets(fetch(
                        10,
                        false,
                        new OffsetFetchRequestTopics()
                                .setName("t")
                                .setTopicId(newId)
                                .setPartitionIndexes(List.of(0)))))
                .containsExactly("0:-1:NONE");
    }

    @Test
    void deletesOffsets() throws IOException {
        find(CoordinatorType.GROUP, 6, "g");
        TopicImage topic = node.cluster.create("t", 2);
        commit(9, commitTopic("t", KafkaIds.toUuid(topic.id()), 0, 1));
        OffsetDeleteRequestTopicCollection topics = new OffsetDeleteRequestTopicCollection();
        topics.add(deleteTopic("t", 0, 5));
        topics.add(deleteTopic("gone", 0));

        OffsetDeleteResponse response = client.call(
                new OffsetDeleteRequest.Builder(
                                new OffsetDeleteRequestData().setGroupId("g").setTopics(topics))
                        .build((short) 0),
                OffsetDeleteResponse.class);

        assertThat(response.data().errorCode()).isZero();
        assertThat(response.data().topics().find("t").partitions().find(0).errorCode())
                .isZero();
        assertThat(response.data().topics().find("t").partitions().find(5).errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        assertThat(response.data().topics().find("gone").partitions().find(0).errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        assertThat(offsets(fetch(8, true))).containsExactly("1:41:NONE");
    }

    private static OffsetDeleteRequestTopic deleteTopic(String name, int... partitions) {
        return new OffsetDeleteRequestTopic()
                .setName(name)
                .setPartitions(IntStream.of(partitions)
                        .mapToObj(partition -> new OffsetDeleteRequestPartition().setPartitionIndex(partition))
                        .toList());
    }

    @Test
    void listsGroupsByStateAndType() throws IOException {
        assertThat(list(new ListGroupsRequestData(), 0)).isEmpty();
        find(CoordinatorType.GROUP, 6, "g");
        join("g", 5);

        assertThat(list(new ListGroupsRequestData(), 0)).containsExactly("g");
        assertThat(list(new ListGroupsRequestData().setStatesFilter(List.of("Stable")), 4))
                .isEmpty();
        assertThat(list(new ListGroupsRequestData().setStatesFilter(List.of("CompletingRebalance")), 4))
                .containsExactly("g");
        assertThat(list(new ListGroupsRequestData().setTypesFilter(List.of("consumer")), 5))
                .isEmpty();
        assertThat(list(new ListGroupsRequestData().setTypesFilter(List.of("classic")), 5))
                .containsExactly("g");
    }

    private List<String> list(ListGroupsRequestData data, int version) throws IOException {
        ListGroupsResponse response = GroupsFixture.settled(
                client,
                new ListGroupsRequest.Builder(data).build((short) version),
                ListGroupsResponse.class,
                answer -> answer.data().errorCode());
        return response.data().groups().stream()
                .flatMap(group -> Stream.of(group.groupId()))
                .toList();
    }
}
