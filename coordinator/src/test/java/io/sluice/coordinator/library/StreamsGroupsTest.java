package io.sluice.coordinator.library;

import static io.sluice.coordinator.library.GroupsHarness.await;
import static io.sluice.coordinator.library.GroupsHarness.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.coordinator.group.StreamsHeartbeat;
import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.runtime.SteppedTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Endpoint;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TopicInfo;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Topology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData.EndpointToPartitions;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData.TaskIds;
import org.apache.kafka.common.message.StreamsGroupTopologyDescriptionUpdateRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatResponse.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Members, tasks and missing topics of streams groups. */
class StreamsGroupsTest {
    private static final String GROUP = "app";
    private static final String MEMBER = "kLmNoPqRSTeUvWxYz12345";

    private GroupsHarness harness = new GroupsHarness(
            new InMemoryCluster(),
            new SteppedTime(),
            Map.of(
                    "group.streams.initial.rebalance.delay.ms", "0",
                    "group.streams.max.size", "1",
                    "group.streams.rack.aware.assignment.tags", ""));

    @BeforeEach
    void locate() {
        harness.cluster.create("lines", 3);
        harness.locate(GROUP);
    }

    @AfterEach
    void close() {
        harness.close();
    }

    private static Topology counting() {
        Subtopology splits = new Subtopology().setSubtopologyId("0").setSourceTopics(List.of("lines"));
        splits.repartitionSinkTopics().add("words");
        Subtopology counts = new Subtopology().setSubtopologyId("1");
        counts.repartitionSourceTopics().add(new TopicInfo().setName("words"));
        counts.stateChangelogTopics().add(new TopicInfo().setName("totals"));
        return new Topology().setSubtopologies(List.of(splits, counts));
    }

    private StreamsHeartbeat heartbeat(String member, int epoch, @Nullable Topology topology) {
        return heartbeat(member, epoch, topology, null);
    }

    private StreamsHeartbeat heartbeat(
            String member, int epoch, @Nullable Topology topology, @Nullable Endpoint endpoint) {
        StreamsGroupHeartbeatRequestData request = new StreamsGroupHeartbeatRequestData()
                .setUserEndpoint(endpoint)
                .setGroupId(GROUP)
                .setMemberId(member)
                .setMemberEpoch(epoch)
                .setTopology(topology);
        if (topology != null) {
            request.setRebalanceTimeoutMs(10_000)
                    .setProcessId("process")
                    .setActiveTasks(new ArrayList<>())
                    .setStandbyTasks(new ArrayList<>())
                    .setWarmupTasks(new ArrayList<>());
        }
        return harness.settled(
                () -> harness.groups.streamsGroupHeartbeat(call(ApiKeys.STREAMS_GROUP_HEARTBEAT), request),
                heartbeat -> heartbeat.answer().errorCode());
    }

    /** Joins with all topics there, and asks until there are tasks. */
    private StreamsHeartbeat join() {
        harness.cluster.create("words", 3);
        harness.cluster.create("totals", 3);
        StreamsHeartbeat joined = heartbeat(MEMBER, 0, counting());
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(GroupsHarness.TIMEOUT_SECONDS);
        while ((joined.answer().activeTasks() == null
                        || joined.answer().activeTasks().isEmpty())
                && System.nanoTime() - deadline < 0) {
            assertThat(joined.answer().errorCode()).as(joined.toString()).isZero();
            harness.time.advanceMillis(100);
            joined = heartbeat(MEMBER, 0, counting());
        }
        return joined;
    }

    @Test
    void namesTheInternalTopicsThatAreMissingWithTheirSize() {
        StreamsHeartbeat joined = heartbeat(MEMBER, 0, counting());

        assertThat(joined.missingTopics())
                .extracting(CreatableTopic::name, CreatableTopic::numPartitions)
                .containsExactlyInAnyOrder(tuple("words", 3), tuple("totals", 3));
        assertThat(joined.answer().status())
                .anySatisfy(status -> assertThat(status.statusCode()).isEqualTo(Status.MISSING_INTERNAL_TOPICS.code()));
    }

    /** Kafka's library fails at the list of endpoints there, and keeps the member out. */
    @Test
    void aMemberWithAnEndpointHearsWhatItsTopologyLacks() {
        Topology nothingThere = new Topology()
                .setSubtopologies(
                        List.of(new Subtopology().setSubtopologyId("0").setSourceTopics(List.of("absent"))));
        Endpoint endpoint = new Endpoint().setHost("one.example").setPort(7);

        StreamsHeartbeat joined = heartbeat(MEMBER, 0, nothingThere, endpoint);

        assertThat(joined.answer().errorCode()).isZero();
        assertThat(joined.answer().status())
                .anySatisfy(status -> assertThat(status.statusCode()).isEqualTo(Status.MISSING_SOURCE_TOPICS.code()));
    }

    @Test
    void aMembersEndpointIsToldOnceTheTopicsOfItsTopologyAreThere() {
        Topology lacking = new Topology()
                .setSubtopologies(
                        List.of(new Subtopology().setSubtopologyId("0").setSourceTopics(List.of("late"))));
        Endpoint endpoint = new Endpoint().setHost("one.example").setPort(7);
        StreamsHeartbeat beat = heartbeat(MEMBER, 0, lacking, endpoint);
        assertThat(beat.answer().partitionsByUserEndpoint()).isNullOrEmpty();

        harness.cluster.create("late", 2);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(GroupsHarness.TIMEOUT_SECONDS);
        List<EndpointToPartitions> told = null;
        while ((told == null || told.isEmpty()) && System.nanoTime() - deadline < 0) {
            harness.time.advanceMillis(1000);
            beat = heartbeat(MEMBER, beat.answer().memberEpoch(), null);
            assertThat(beat.answer().errorCode()).as(beat.toString()).isZero();
            told = beat.answer().partitionsByUserEndpoint();
        }

        assertThat(told).singleElement().satisfies(each -> {
            assertThat(each.userEndpoint().host()).isEqualTo("one.example");
            assertThat(each.activePartitions())
                    .singleElement()
                    .satisfies(topic -> assertThat(topic.topic()).isEqualTo("late"));
        });
    }

    @Test
    void assignsATaskForEachPartitionWhenAllTopicsAreThere() {
        StreamsHeartbeat joined = join();

        assertThat(joined.missingTopics()).isEmpty();
        assertThat(joined.answer().activeTasks())
                .extracting(TaskIds::subtopologyId)
                .containsExactlyInAnyOrder("0", "1");
        assertThat(joined.answer().activeTasks())
                .allSatisfy(tasks -> assertThat(tasks.partitions()).containsExactlyInAnyOrder(0, 1, 2));
    }

    @Test
    void describesListsAndDeletesStreamsGroups() {
        join();

        StreamsGroupDescribeResponseData.DescribedGroup described = await(harness.groups.streamsGroupDescribe(
                        call(ApiKeys.STREAMS_GROUP_DESCRIBE), List.of(GROUP), false))
                .get(0);
        assertThat(described.assignorName()).isEqualTo("sticky");
        assertThat(described.members())
                .singleElement()
                .satisfies(member -> assertThat(member.memberId()).isEqualTo(MEMBER));
        assertThat(await(harness.groups.listGroups(
                                call(ApiKeys.LIST_GROUPS),
                                new ListGroupsRequestData().setTypesFilter(List.of("streams"))))
                        .groups())
                .singleElement()
                .satisfies(group -> assertThat(group.groupId()).isEqualTo(GROUP));
        assertThat(delete()).isEqualTo(Errors.NON_EMPTY_GROUP);
        heartbeat(MEMBER, -1, null);
        assertThat(delete()).isEqualTo(Errors.NONE);
    }

    private Errors delete() {
        return Errors.forCode(await(harness.groups.deleteGroups(call(ApiKeys.DELETE_GROUPS), List.of(GROUP)))
                .find(GROUP)
                .errorCode());
    }

    @Test
    void knowsItsMembersAcrossARestart() {
        int epoch = join().answer().memberEpoch();

        harness = harness.restart();
        harness.locate(GROUP);

        assertThat(heartbeat(MEMBER, epoch, null).answer().errorCode()).isZero();
    }

    @Test
    void refusesOneMemberMoreThanAllowed() {
        join();

        assertThat(heartbeat("aLmNoPqRSTeUvWxYz12345", 0, counting()).answer().errorCode())
                .isEqualTo(Errors.GROUP_MAX_SIZE_REACHED.code());
    }

    @Test
    void takesNoDescriptionsOfTopologies() {
        short error = await(harness.groups.updateStreamsTopologyDescription(
                        call(ApiKeys.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE),
                        new StreamsGroupTopologyDescriptionUpdateRequestData()
                                .setGroupId(GROUP)
                                .setMemberId(MEMBER)))
                .errorCode();

        assertThat(error).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
    }
}
