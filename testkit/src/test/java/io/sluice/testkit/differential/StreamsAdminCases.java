package io.sluice.testkit.differential;

import static io.sluice.testkit.differential.StreamsSession.heartbeat;
import static io.sluice.testkit.differential.StreamsSession.member;
import static io.sluice.testkit.differential.StreamsSession.stable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.StreamsGroupDescribeRequestData;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.message.StreamsGroupTopologyDescriptionUpdateRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/** Streams groups described, listed, deleted; their offsets; descriptions of topologies. */
final class StreamsAdminCases {
    private static final ApiKeys DESCRIBE = ApiKeys.STREAMS_GROUP_DESCRIBE;
    private static final ApiKeys UPDATE = ApiKeys.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE;
    private static final int FIRST_BY_MEMBER = 9;

    private StreamsAdminCases() {}

    static void addTo(Cases cases) {
        addDescribe(cases);
        addTopologyDescription(cases);
        addAdministration(cases);
        addOffsets(cases);
    }

    private static void addDescribe(Cases cases) {
        cases.everyVersion(DESCRIBE, "one member", s -> {
            StreamsGroupHeartbeatResponseData joined = stable(s, s.createTopic("t", 2, Map.of()));
            s.recordWhen(
                    StreamsGroupDescribeResponseData.class,
                    "answer",
                    describe(s.name("g")),
                    answer -> answer.groups().get(0).groupState().equals("Stable"));
            s.record("operations", describe(s.name("g")).setIncludeAuthorizedOperations(true));
            s.record("leaves", heartbeat(s, -1));
            s.record("empty", describe(s.name("g")));
            s.note("joined", String.valueOf(joined.memberEpoch() > 0));
        });
        cases.from(DESCRIBE, 1, "with the topology described", s -> {
            stable(s, s.createTopic("t", 2, Map.of()));
            s.recordWhen(
                    StreamsGroupDescribeResponseData.class,
                    "answer",
                    describe(s.name("g")).setIncludeTopologyDescription(true),
                    answer -> answer.groups().get(0).groupState().equals("Stable"));
        });
        cases.everyVersion(DESCRIBE, "topics missing", s -> {
            GroupCases.awaited(s);
            s.ask(
                    StreamsGroupHeartbeatResponseData.class,
                    StreamsSession.joining(s, StreamsSession.reading("0", s.name("unknown"))));
            s.record("answer", describe(s.name("g")));
        });
        cases.everyVersion(DESCRIBE, "unknown", s -> s.record("answer", describe(GroupCases.awaited(s))));
        cases.everyVersion(DESCRIBE, "empty name", s -> s.record("answer", describe("")));
        cases.everyVersion(DESCRIBE, "none", s -> s.record("answer", describe()));
        cases.everyVersion(
                DESCRIBE,
                "classic",
                s -> s.record("answer", describe(GroupSession.stable(s, "g").group())));
        cases.everyVersion(DESCRIBE, "as others", s -> {
            stable(s, s.createTopic("t", 2, Map.of()));
            s.record("classic", new DescribeGroupsRequestData().setGroups(new ArrayList<>(List.of(s.name("g")))));
            s.record(
                    "consumer",
                    new ConsumerGroupDescribeRequestData().setGroupIds(new ArrayList<>(List.of(s.name("g")))));
        });
    }

    private static void addTopologyDescription(Cases cases) {
        cases.everyVersion(UPDATE, "of a member", s -> {
            stable(s, s.createTopic("t", 2, Map.of()));
            s.record("answer", update(s));
        });
        update(cases, "unknown group", r -> r.setMemberId(member("a")));
        update(cases, "empty group", r -> r.setGroupId(""));
        update(cases, "empty member", r -> r.setMemberId(""));
        update(cases, "epoch -1", r -> r.setTopologyEpoch(-1));
    }

    private static void update(
            Cases cases, String name, Consumer<StreamsGroupTopologyDescriptionUpdateRequestData> change) {
        cases.everyVersion(UPDATE, name, s -> {
            GroupCases.awaited(s);
            StreamsGroupTopologyDescriptionUpdateRequestData request = update(s);
            change.accept(request);
            s.record("answer", request);
        });
    }

    private static StreamsGroupTopologyDescriptionUpdateRequestData update(Session s) {
        StreamsGroupTopologyDescriptionUpdateRequestData.TopologyDescriptionSubtopology subtopology =
                new StreamsGroupTopologyDescriptionUpdateRequestData.TopologyDescriptionSubtopology()
                        .setSubtopologyId("0");
        subtopology
                .nodes()
                .add(new StreamsGroupTopologyDescriptionUpdateRequestData.TopologyDescriptionNode()
                        .setName("source")
                        .setNodeType((byte) 1)
                        .setSourceTopics(List.of(s.name("t"))));
        StreamsGroupTopologyDescriptionUpdateRequestData request =
                new StreamsGroupTopologyDescriptionUpdateRequestData()
                        .setGroupId(s.name("g"))
                        .setMemberId(member("a"));
        request.topologyDescription().subtopologies().add(subtopology);
        return request;
    }

    private static void addAdministration(Cases cases) {
        cases.from(ApiKeys.LIST_GROUPS, 5, "streams", s -> {
            stable(s, s.createTopic("t", 2, Map.of()));
            list(s, "streams", "Streams");
            list(s, "consumer", "consumer");
        });
        cases.everyVersion(ApiKeys.DELETE_GROUPS, "streams", s -> {
            stable(s, s.createTopic("t", 2, Map.of()));
            DeleteGroupsRequestData delete = new DeleteGroupsRequestData().setGroupsNames(List.of(s.name("g")));
            s.record("with a member", delete);
            s.record("leaves", heartbeat(s, -1));
            s.record("without", delete);
            s.record("again", delete);
            s.record("described", describe(s.name("g")));
        });
    }

    /** Keeps the case's own groups. */
    private static void list(Session s, String label, String type) throws Exception {
        s.record(
                ListGroupsResponseData.class,
                label,
                new ListGroupsRequestData().setTypesFilter(List.of(type)),
                answer -> {
                    answer.groups().removeIf(each -> !each.groupId().startsWith(s.name("")));
                    // It is in balance when the group's thread has come to it.
                    answer.groups().forEach(each -> each.setGroupState(""));
                });
    }

    private static void addOffsets(Cases cases) {
        cases.from(ApiKeys.OFFSET_COMMIT, FIRST_BY_MEMBER, "by members of a streams group", s -> {
            Session.Topic topic = s.createTopic("t", 2, Map.of());
            int epoch = stable(s, topic).memberEpoch();
            s.record("member", commit(s, topic, "a", epoch));
            s.record("nobody", commit(s, topic, "b", epoch));
            s.record("later epoch", commit(s, topic, "a", epoch + 1));
            s.record("earlier epoch", commit(s, topic, "a", epoch - 1));
            s.record("without a member", commit(s, topic, "a", -1).setMemberId(""));
        });
        cases.from(ApiKeys.OFFSET_FETCH, FIRST_BY_MEMBER, "by members of a streams group", s -> {
            Session.Topic topic = s.createTopic("t", 2, Map.of());
            OffsetCases.commitFirst(s, topic);
            int epoch = stable(s, topic).memberEpoch();
            s.record("member", fetch(s, topic, "a", epoch));
            s.record("nobody", fetch(s, topic, "b", epoch));
            s.record("later epoch", fetch(s, topic, "a", epoch + 1));
            s.record("earlier epoch", fetch(s, topic, "a", epoch - 1));
        });
    }

    private static OffsetCommitRequestData commit(Session s, Session.Topic topic, String member, int epoch) {
        OffsetCommitRequestData.OffsetCommitRequestTopic of = new OffsetCommitRequestData.OffsetCommitRequestTopic()
                .setName(topic.name())
                .setTopicId(topic.id());
        of.partitions().add(new OffsetCommitRequestData.OffsetCommitRequestPartition().setCommittedOffset(42));
        OffsetCommitRequestData request = new OffsetCommitRequestData()
                .setGroupId(s.name("g"))
                .setMemberId(member(member))
                .setGenerationIdOrMemberEpoch(epoch);
        request.topics().add(of);
        return request;
    }

    private static OffsetFetchRequestData fetch(Session s, Session.Topic topic, String member, int epoch) {
        OffsetFetchRequestData request = OffsetCases.fetch(s, s.name("g"), topic, List.of(0, 1));
        request.groups().get(0).setMemberId(member(member)).setMemberEpoch(epoch);
        return request;
    }

    static StreamsGroupDescribeRequestData describe(String... groups) {
        return new StreamsGroupDescribeRequestData().setGroupIds(new ArrayList<>(List.of(groups)));
    }
}
