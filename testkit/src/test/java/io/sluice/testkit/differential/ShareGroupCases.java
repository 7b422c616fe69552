package io.sluice.testkit.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.DeleteShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareGroupDescribeRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** Share groups of KIP-932: members, offsets, and the sessions in which records are fetched and acknowledged. */
final class ShareGroupCases {
    private static final ApiKeys HEARTBEAT = ApiKeys.SHARE_GROUP_HEARTBEAT;
    private static final ApiKeys FETCH = ApiKeys.SHARE_FETCH;
    private static final ApiKeys ACKNOWLEDGE = ApiKeys.SHARE_ACKNOWLEDGE;
    private static final byte ACCEPT = 1;

    private ShareGroupCases() {}

    static void addTo(Cases cases) {
        addMembership(cases);
        addOffsets(cases);
        addSessions(cases);
        addAcknowledging(cases);
    }

    private static void addMembership(Cases cases) {
        cases.everyVersion(HEARTBEAT, "joins and is assigned", s -> {
            Session.Topic topic = s.createTopic("t", 3, Map.of());
            ShareGroupHeartbeatResponseData joined = join(s, topic);
            s.record("bare heartbeat", heartbeat(s, joined.memberEpoch()));
            s.record("leaves", heartbeat(s, -1));
            s.record("after", heartbeat(s, joined.memberEpoch()));
        });
        error(cases, "empty group", r -> r.setGroupId(""));
        error(cases, "no member id", r -> r.setMemberId(""));
        error(cases, "no subscription", r -> r.setSubscribedTopicNames(null));
        error(cases, "nothing subscribed", r -> r.setSubscribedTopicNames(List.of()));
        error(cases, "empty rack", r -> r.setRackId(""));
        error(cases, "unknown member", r -> r.setMemberEpoch(4));
        error(cases, "epoch -2", r -> r.setMemberEpoch(-2));
        cases.everyVersion(ApiKeys.SHARE_GROUP_DESCRIBE, "one member", s -> {
            join(s, s.createTopic("t", 2, Map.of()));
            s.record("answer", describe(s.name("g")));
            s.record("operations", describe(s.name("g")).setIncludeAuthorizedOperations(true));
        });
        cases.everyVersion(
                ApiKeys.SHARE_GROUP_DESCRIBE, "unknown", s -> s.record("answer", describe(GroupCases.awaited(s))));
        cases.everyVersion(ApiKeys.SHARE_GROUP_DESCRIBE, "empty name", s -> s.record("answer", describe("")));
    }

    private static void addOffsets(Cases cases) {
        cases.everyVersion(ApiKeys.ALTER_SHARE_GROUP_OFFSETS, "with a member, and without", s -> {
            Session.Topic topic = s.createTopic("t");
            join(s, topic);
            s.record("with", alter(s, topic.name(), 0, 0));
            s.record("leaves", heartbeat(s, -1));
            s.record("without", alter(s, topic.name(), 0, 0));
            s.record("unknown partition", alter(s, topic.name(), 7, 0));
            s.record("unknown topic", alter(s, s.name("unknown"), 0, 0));
        });
        cases.everyVersion(ApiKeys.ALTER_SHARE_GROUP_OFFSETS, "unknown group", s -> {
            GroupCases.awaited(s);
            s.record("answer", alter(s, s.createTopic("t").name(), 0, 0));
        });
        cases.everyVersion(ApiKeys.DELETE_SHARE_GROUP_OFFSETS, "with a member, and without", s -> {
            Session.Topic topic = s.createTopic("t");
            join(s, topic);
            s.record("with", delete(s, topic.name()));
            s.record("leaves", heartbeat(s, -1));
            s.record("without", delete(s, topic.name()));
            s.record("again", delete(s, topic.name()));
            s.record("unknown topic", delete(s, s.name("unknown")));
        });
        cases.everyVersion(ApiKeys.DELETE_SHARE_GROUP_OFFSETS, "unknown group", s -> {
            GroupCases.awaited(s);
            s.record("answer", delete(s, "t"));
        });
        cases.everyVersion(ApiKeys.DESCRIBE_SHARE_GROUP_OFFSETS, "of a topic, of all, of nobody", s -> {
            Session.Topic topic = s.createTopic("t");
            join(s, topic);
            s.record("topic", describeOffsets(s.name("g"), topic.name()));
            s.record("unknown topic", describeOffsets(s.name("g"), s.name("unknown")));
            s.record("nobody", describeOffsets(s.name("nobody"), topic.name()));
        });
    }

    private static void addSessions(Cases cases) {
        cases.everyVersion(
                FETCH, "no group", s -> s.record("answer", fetch(s, 0).setGroupId(null)));
        cases.everyVersion(
                FETCH, "no member", s -> s.record("answer", fetch(s, 0).setMemberId(null)));
        cases.everyVersion(FETCH, "no such session", s -> s.record("answer", fetch(s, 3)));
        cases.everyVersion(FETCH, "ends no session", s -> s.record("answer", fetch(s, -1)));
        cases.everyVersion(FETCH, "unknown topic id", s -> {
            s.record("answer", with(fetch(s, 0), new Uuid(5, 5)));
            s.record("again", fetch(s, 1));
        });
        cases.everyVersion(FETCH, "begins with an acknowledgement", s -> {
            Session.Topic topic = s.createTopic("t");
            join(s, topic);
            s.record("answer", acknowledging(fetch(s, 0), topic, 0, 0));
        });
        cases.everyVersion(FETCH, "wrong epoch", s -> {
            Session.Topic topic = s.createTopic("t");
            join(s, topic);
            s.ask(ShareFetchResponseData.class, with(fetch(s, 0), topic.id()));
            s.record("skips", fetch(s, 2));
            s.record("goes on", fetch(s, 1));
            s.record("ends", fetch(s, -1));
            s.record("after", fetch(s, 2));
        });
    }

    private static void addAcknowledging(Cases cases) {
        cases.everyVersion(FETCH, "takes, acknowledges, ends", s -> {
            Session.Topic topic = produced(s);
            s.askUntil(
                    ShareFetchResponseData.class,
                    with(fetch(s, 0), topic.id()),
                    answer -> !answer.responses().isEmpty());
            s.record("accepted", acknowledging(fetch(s, 1), topic, 0, 1));
            s.record("accepted twice", acknowledging(fetch(s, 2), topic, 0, 1));
            s.record("beyond", acknowledging(fetch(s, 3), topic, 50, 60));
            s.record("backwards", acknowledging(fetch(s, 4), topic, 3, 2));
            s.record("ends", acknowledging(fetch(s, -1), topic, 2, 2));
        });
        cases.everyVersion(ACKNOWLEDGE, "no such session", s -> s.record("answer", acknowledge(s, 3)));
        cases.everyVersion(ACKNOWLEDGE, "begins a session", s -> s.record("answer", acknowledge(s, 0)));
        cases.everyVersion(ACKNOWLEDGE, "ends no session", s -> s.record("answer", acknowledge(s, -1)));
        cases.everyVersion(ACKNOWLEDGE, "accepts, releases, and more", s -> {
            Session.Topic topic = produced(s);
            s.askUntil(
                    ShareFetchResponseData.class,
                    with(fetch(s, 0), topic.id()),
                    answer -> !answer.responses().isEmpty());
            s.record("accept", with(acknowledge(s, 1), topic, 0, 0, (byte) 1));
            s.record("release", with(acknowledge(s, 2), topic, 1, 1, (byte) 2));
            s.record("reject", with(acknowledge(s, 3), topic, 2, 2, (byte) 3));
            s.record("unknown type", with(acknowledge(s, 4), topic, 3, 3, (byte) 9));
            s.record("prolongs and does not say so", with(acknowledge(s, 5), topic, 3, 3, (byte) 4));
            s.record("too many types", with(acknowledge(s, 6), topic, 3, 3, (byte) 1, (byte) 1));
            s.record("accepted before", with(acknowledge(s, 7), topic, 0, 3, (byte) 1));
            s.record(
                    "unknown partition", with(acknowledge(s, 8), new Session.Topic("x", new Uuid(5, 5)), 0, 0, ACCEPT));
            s.record("ends", acknowledge(s, -1));
        });
    }

    /** A topic of one partition with a few records, and a member that is assigned it from the start. */
    private static Session.Topic produced(Session s) throws Exception {
        Session.Topic topic = s.createTopic("t");
        GroupCases.awaited(s);
        s.ask(
                org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.class,
                ConfigCases.incremental((byte) 32, s.name("g"), (byte) 0, "share.auto.offset.reset", "earliest"));
        s.ask(org.apache.kafka.common.message.ProduceResponseData.class, Requests.produce(topic, Requests.batch(s, 5)));
        join(s, topic);
        return topic;
    }

    private static void error(Cases cases, String name, Consumer<ShareGroupHeartbeatRequestData> change) {
        cases.everyVersion(HEARTBEAT, name, s -> {
            GroupCases.awaited(s);
            ShareGroupHeartbeatRequestData request = heartbeat(s, 0).setSubscribedTopicNames(List.of("t"));
            change.accept(request);
            s.record("answer", request);
        });
    }

    private static ShareGroupHeartbeatResponseData join(Session s, Session.Topic topic) throws Exception {
        GroupCases.awaited(s);
        return s.recordWhen(
                ShareGroupHeartbeatResponseData.class,
                "joins",
                heartbeat(s, 0).setSubscribedTopicNames(List.of(topic.name())),
                answer -> answer.errorCode() != 0
                        || (answer.assignment() != null
                                && !answer.assignment().topicPartitions().isEmpty()));
    }

    private static ShareGroupHeartbeatRequestData heartbeat(Session s, int epoch) {
        return new ShareGroupHeartbeatRequestData()
                .setGroupId(s.name("g"))
                .setMemberId(member())
                .setMemberEpoch(epoch);
    }

    private static String member() {
        return new Uuid(77, 7).toString();
    }

    private static ShareGroupDescribeRequestData describe(String group) {
        return new ShareGroupDescribeRequestData().setGroupIds(new ArrayList<>(List.of(group)));
    }

    private static AlterShareGroupOffsetsRequestData alter(Session s, String topic, int partition, long offset) {
        AlterShareGroupOffsetsRequestData request = new AlterShareGroupOffsetsRequestData().setGroupId(s.name("g"));
        request.topics()
                .add(new AlterShareGroupOffsetsRequestData.AlterShareGroupOffsetsRequestTopic()
                        .setTopicName(topic)
                        .setPartitions(
                                List.of(new AlterShareGroupOffsetsRequestData.AlterShareGroupOffsetsRequestPartition()
                                        .setPartitionIndex(partition)
                                        .setStartOffset(offset))));
        return request;
    }

    private static DeleteShareGroupOffsetsRequestData delete(Session s, String topic) {
        return new DeleteShareGroupOffsetsRequestData()
                .setGroupId(s.name("g"))
                .setTopics(List.of(new DeleteShareGroupOffsetsRequestData.DeleteShareGroupOffsetsRequestTopic()
                        .setTopicName(topic)));
    }

    private static DescribeShareGroupOffsetsRequestData describeOffsets(String group, String topic) {
        return new DescribeShareGroupOffsetsRequestData()
                .setGroups(List.of(new DescribeShareGroupOffsetsRequestData.DescribeShareGroupOffsetsRequestGroup()
                        .setGroupId(group)
                        .setTopics(
                                List.of(new DescribeShareGroupOffsetsRequestData.DescribeShareGroupOffsetsRequestTopic()
                                        .setTopicName(topic)
                                        .setPartitions(List.of(0))))));
    }

    private static ShareFetchRequestData fetch(Session s, int epoch) {
        return new ShareFetchRequestData()
                .setGroupId(s.name("g"))
                .setMemberId(member())
                .setShareSessionEpoch(epoch)
                .setMaxWaitMs(200)
                .setMinBytes(1)
                .setMaxBytes(1 << 20)
                .setMaxRecords(500)
                .setBatchSize(500);
    }

    private static ShareFetchRequestData with(ShareFetchRequestData request, Uuid topicId) {
        request.topics().add(new ShareFetchRequestData.FetchTopic().setTopicId(topicId));
        request.topics()
                .find(topicId)
                .partitions()
                .add(new ShareFetchRequestData.FetchPartition().setPartitionIndex(0));
        return request;
    }

    private static ShareFetchRequestData acknowledging(
            ShareFetchRequestData request, Session.Topic topic, long first, long last) {
        with(request, topic.id());
        request.topics()
                .find(topic.id())
                .partitions()
                .find(0)
                .setAcknowledgementBatches(List.of(new ShareFetchRequestData.AcknowledgementBatch()
                        .setFirstOffset(first)
                        .setLastOffset(last)
                        .setAcknowledgeTypes(List.of(ACCEPT))));
        return request;
    }

    private static ShareAcknowledgeRequestData acknowledge(Session s, int epoch) {
        return new ShareAcknowledgeRequestData()
                .setGroupId(s.name("g"))
                .setMemberId(member())
                .setShareSessionEpoch(epoch);
    }

    private static ShareAcknowledgeRequestData with(
            ShareAcknowledgeRequestData request, Session.Topic topic, long first, long last, Byte... types) {
        ShareAcknowledgeRequestData.AcknowledgeTopic acknowledged =
                new ShareAcknowledgeRequestData.AcknowledgeTopic().setTopicId(topic.id());
        acknowledged
                .partitions()
                .add(new ShareAcknowledgeRequestData.AcknowledgePartition()
                        .setPartitionIndex(0)
                        .setAcknowledgementBatches(List.of(new ShareAcknowledgeRequestData.AcknowledgementBatch()
                                .setFirstOffset(first)
                                .setLastOffset(last)
                                .setAcknowledgeTypes(List.of(types)))));
        request.topics().add(acknowledged);
        return request;
    }
}
