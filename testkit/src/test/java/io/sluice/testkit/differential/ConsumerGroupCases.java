package io.sluice.testkit.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** The consumer group protocol of KIP-848. */
final class ConsumerGroupCases {
    private static final ApiKeys HEARTBEAT = ApiKeys.CONSUMER_GROUP_HEARTBEAT;
    private static final ApiKeys DESCRIBE = ApiKeys.CONSUMER_GROUP_DESCRIBE;

    private static final int FIRST_FETCH_BY_MEMBER = 9;

    private ConsumerGroupCases() {}

    static void addTo(Cases cases) {
        addMembership(cases);
        addErrors(cases);
        addDescribe(cases);
    }

    private static void addMembership(Cases cases) {
        cases.everyVersion(HEARTBEAT, "joins and is assigned", s -> {
            Session.Topic topic = s.createTopic("t", 3, Map.of());
            ConsumerGroupHeartbeatResponseData joined = joinAndAwaitAssignment(s, "answer", topic);
            s.record("keeps", owning(heartbeat(s, joined.memberEpoch()), topic, 0, 1, 2));
            s.record("bare heartbeat", heartbeat(s, joined.memberEpoch()));
            s.record("leaves", heartbeat(s, -1));
            s.record("after", heartbeat(s, joined.memberEpoch()));
        });
        cases.everyVersion(HEARTBEAT, "unknown topic subscribed", s -> s.record("answer", join(s, s.name("unknown"))));
        cases.everyVersion(HEARTBEAT, "static member", s -> {
            Session.Topic topic = s.createTopic("t");
            GroupCases.awaited(s);
            s.recordWhen(
                    ConsumerGroupHeartbeatResponseData.class,
                    "joins",
                    join(s, topic.name()).setInstanceId("one"),
                    ConsumerGroupCases::isAssigned);
            s.record(
                    "another with its name",
                    join(s, topic.name()).setInstanceId("one").setMemberId(memberId("b")));
            s.record("away for a while", heartbeat(s, -2).setInstanceId("one"));
            s.record(
                    "comes back as another",
                    join(s, topic.name()).setInstanceId("one").setMemberId(memberId("c")));
        });
        cases.from(HEARTBEAT, 1, "regular expression", s -> {
            s.createTopic("t");
            GroupCases.awaited(s);
            s.record("bad", join(s).setSubscribedTopicRegex("[").setMemberId(memberId("d")));
            s.record("good", join(s).setSubscribedTopicRegex("nothing-like-it.*"));
        });
        cases.everyVersion(HEARTBEAT, "commits by member epoch", s -> {
            Session.Topic topic = s.createTopic("t");
            ConsumerGroupHeartbeatResponseData joined = joinAndAwaitAssignment(s, "joins", topic);
            GroupSession.Member member = new GroupSession.Member(s.name("g"), joined.memberId(), joined.memberEpoch());
            s.record("classic heartbeat", GroupCases.heartbeat(member));
            s.record("classic join", GroupSession.join(s.name("g"), ""));
        });
        cases.from(ApiKeys.OFFSET_FETCH, FIRST_FETCH_BY_MEMBER, "by members", s -> {
            Session.Topic topic = s.createTopic("t");
            OffsetCases.commitFirst(s, topic);
            ConsumerGroupHeartbeatResponseData joined = joinAndAwaitAssignment(s, "joins", topic);
            s.record("member", fetchBy(s, topic, joined.memberId(), joined.memberEpoch()));
            s.record("nobody", fetchBy(s, topic, memberId("b"), joined.memberEpoch()));
            s.record("later epoch", fetchBy(s, topic, joined.memberId(), joined.memberEpoch() + 1));
            s.record("earlier epoch", fetchBy(s, topic, joined.memberId(), joined.memberEpoch() - 1));
        });
    }

    private static void addErrors(Cases cases) {
        error(cases, "empty group", r -> r.setGroupId(""));
        error(cases, "blank group", r -> r.setGroupId("  "));
        error(cases, "no subscription", r -> r.setSubscribedTopicNames(null));
        error(cases, "no rebalance time-out", r -> r.setRebalanceTimeoutMs(-1));
        error(cases, "no owned partitions", r -> r.setTopicPartitions(null));
        error(cases, "unknown assignor", r -> r.setServerAssignor("mine"));
        error(cases, "known assignor", r -> r.setServerAssignor("range"));
        error(cases, "empty instance", r -> r.setInstanceId(""));
        error(cases, "empty rack", r -> r.setRackId(""));
        error(cases, "unknown member", r -> r.setMemberEpoch(4));
        error(cases, "leaves and was never there", r -> r.setMemberEpoch(-1));
        error(cases, "away without an instance", r -> r.setMemberEpoch(-2));
        error(cases, "epoch -3", r -> r.setMemberEpoch(-3));
        cases.versions(
                HEARTBEAT,
                1,
                1,
                "no member id",
                s -> s.record("answer", join(s, "x").setMemberId("")));
        cases.versions(HEARTBEAT, 0, 0, "no member id", s -> {
            GroupCases.awaited(s);
            s.record("answer", join(s, "x").setMemberId(""));
        });
        cases.everyVersion(HEARTBEAT, "wrong epoch", s -> {
            Session.Topic topic = s.createTopic("t");
            ConsumerGroupHeartbeatResponseData joined = joinAndAwaitAssignment(s, "joins", topic);
            s.record("higher", heartbeat(s, joined.memberEpoch() + 1));
            s.record("lower", heartbeat(s, Math.max(1, joined.memberEpoch() - 1)));
        });
        cases.everyVersion(HEARTBEAT, "group is a classic one", s -> {
            GroupSession.stable(s, "g");
            s.record("answer", join(s, s.name("t")));
        });
    }

    private static void addDescribe(Cases cases) {
        cases.everyVersion(DESCRIBE, "one member", s -> {
            Session.Topic topic = s.createTopic("t", 2, Map.of());
            ConsumerGroupHeartbeatResponseData joined = joinAndAwaitAssignment(s, "joins", topic);
            s.record("acknowledges", owning(heartbeat(s, joined.memberEpoch()), topic, 0, 1));
            s.record("answer", describe(s.name("g")));
            s.record("operations", describe(s.name("g")).setIncludeAuthorizedOperations(true));
            s.record(
                    "as a classic group",
                    new org.apache.kafka.common.message.DescribeGroupsRequestData().setGroups(List.of(s.name("g"))));
        });
        cases.everyVersion(DESCRIBE, "unknown", s -> s.record("answer", describe(GroupCases.awaited(s))));
        cases.everyVersion(
                DESCRIBE,
                "classic group",
                s -> s.record("answer", describe(GroupSession.stable(s, "g").group())));
        cases.everyVersion(DESCRIBE, "empty name", s -> s.record("answer", describe("")));
        cases.everyVersion(DESCRIBE, "none", s -> s.record("answer", describe()));
    }

    private static void error(Cases cases, String name, Consumer<ConsumerGroupHeartbeatRequestData> change) {
        cases.everyVersion(HEARTBEAT, name, s -> {
            GroupCases.awaited(s);
            ConsumerGroupHeartbeatRequestData request = join(s, s.name("t"));
            change.accept(request);
            s.record("answer", request);
        });
    }

    private static ConsumerGroupHeartbeatResponseData joinAndAwaitAssignment(
            Session s, String label, Session.Topic topic) throws Exception {
        GroupCases.awaited(s);
        return s.recordWhen(
                ConsumerGroupHeartbeatResponseData.class,
                label,
                join(s, topic.name()),
                answer -> answer.errorCode() != 0 || isAssigned(answer));
    }

    private static boolean isAssigned(ConsumerGroupHeartbeatResponseData answer) {
        return answer.assignment() != null
                && !answer.assignment().topicPartitions().isEmpty();
    }

    private static OffsetFetchRequestData fetchBy(Session s, Session.Topic topic, String member, int epoch) {
        OffsetFetchRequestData request = OffsetCases.fetch(s, s.name("g"), topic, List.of(0));
        request.groups().get(0).setMemberId(member).setMemberEpoch(epoch);
        return request;
    }

    private static ConsumerGroupHeartbeatRequestData join(Session s, String... topics) {
        return heartbeat(s, 0)
                .setRebalanceTimeoutMs(GroupSession.SESSION_MILLIS)
                .setSubscribedTopicNames(new ArrayList<>(List.of(topics)))
                .setTopicPartitions(new ArrayList<>());
    }

    private static ConsumerGroupHeartbeatRequestData heartbeat(Session s, int epoch) {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(s.name("g"))
                .setMemberId(memberId("a"))
                .setMemberEpoch(epoch);
    }

    private static ConsumerGroupHeartbeatRequestData owning(
            ConsumerGroupHeartbeatRequestData request, Session.Topic topic, Integer... partitions) {
        return request.setTopicPartitions(
                new ArrayList<>(List.of(new ConsumerGroupHeartbeatRequestData.TopicPartitions()
                        .setTopicId(topic.id())
                        .setPartitions(List.of(partitions)))));
    }

    /** Members make up their own ids. */
    private static String memberId(@Nullable String name) {
        return new Uuid(77, String.valueOf(name).hashCode()).toString();
    }

    private static ConsumerGroupDescribeRequestData describe(String... groups) {
        return new ConsumerGroupDescribeRequestData().setGroupIds(new ArrayList<>(List.of(groups)));
    }
}
