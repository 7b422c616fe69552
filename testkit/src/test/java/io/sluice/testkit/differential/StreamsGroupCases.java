package io.sluice.testkit.differential;

import static io.sluice.testkit.differential.StreamsSession.counting;
import static io.sluice.testkit.differential.StreamsSession.heartbeat;
import static io.sluice.testkit.differential.StreamsSession.internal;
import static io.sluice.testkit.differential.StreamsSession.join;
import static io.sluice.testkit.differential.StreamsSession.joining;
import static io.sluice.testkit.differential.StreamsSession.member;
import static io.sluice.testkit.differential.StreamsSession.reading;
import static io.sluice.testkit.differential.StreamsSession.stable;
import static io.sluice.testkit.differential.StreamsSession.tasks;
import static io.sluice.testkit.differential.StreamsSession.together;
import static io.sluice.testkit.differential.StreamsSession.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Endpoint;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.KeyValue;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TaskIds;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TaskOffset;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatResponse.Status;

/** Heartbeats of streams groups (KIP-1071), and the internal topics that they have created. */
final class StreamsGroupCases {
    private static final ApiKeys HEARTBEAT = ApiKeys.STREAMS_GROUP_HEARTBEAT;

    private StreamsGroupCases() {}

    static void addTo(Cases cases) {
        addMembership(cases);
        addMore(cases);
        addInternalTopics(cases);
        addRequestErrors(cases);
        addMemberErrors(cases);
    }

    private static void addMembership(Cases cases) {
        cases.everyVersion(HEARTBEAT, "joins and is assigned", s -> {
            Session.Topic topic = s.createTopic("t", 3, Map.of());
            StreamsGroupHeartbeatResponseData joined = join(s, "joins", joining(s, reading("0", topic.name())));
            s.record(
                    "owns",
                    heartbeat(s, joined.memberEpoch())
                            .setActiveTasks(tasks("0", 0, 1, 2))
                            .setStandbyTasks(new ArrayList<>())
                            .setWarmupTasks(new ArrayList<>()));
            s.record("bare heartbeat", heartbeat(s, joined.memberEpoch()));
            s.record("leaves", heartbeat(s, -1));
            s.record("after", heartbeat(s, joined.memberEpoch()));
        });
        cases.everyVersion(HEARTBEAT, "two members with an endpoint", s -> {
            Session.Topic topic = s.createTopic("t", 2, Map.of());
            StreamsGroupHeartbeatRequestData first = joining(s, reading("0", topic.name()))
                    .setEndpointInformationEpoch(-1)
                    .setUserEndpoint(new Endpoint().setHost("one.example").setPort(7));
            join(s, "joins", first);
            StreamsGroupHeartbeatRequestData second = joining(s, reading("0", topic.name()))
                    .setEndpointInformationEpoch(-1)
                    .setMemberId(member("b"))
                    .setProcessId("other");
            s.recordWhen(
                    StreamsGroupHeartbeatResponseData.class,
                    "second joins",
                    second,
                    answer -> answer.status().stream()
                            .noneMatch(status -> status.statusCode() == Status.ASSIGNMENT_DELAYED.code()));
        });
        cases.everyVersion(HEARTBEAT, "static member", s -> {
            Session.Topic topic = s.createTopic("t");
            StreamsGroupHeartbeatRequestData one =
                    joining(s, reading("0", topic.name())).setInstanceId("one");
            join(s, "joins", one);
            s.record("another with its name", one.duplicate().setMemberId(member("b")));
            s.record("away for a while", heartbeat(s, -2).setInstanceId("one"));
            s.record("comes back as another", one.duplicate().setMemberId(member("c")));
        });
    }

    private static void addMore(Cases cases) {
        cases.everyVersion(HEARTBEAT, "other topology", s -> {
            Session.Topic topic = s.createTopic("t");
            join(s, "joins", joining(s, reading("0", topic.name())));
            s.record("same epoch", joining(s, reading("1", topic.name())));
            s.record(
                    "later epoch",
                    joining(s)
                            .setTopology(topology(1, reading("0", topic.name())))
                            .setMemberId(member("b")));
        });
        cases.everyVersion(HEARTBEAT, "shuts the application down", s -> {
            Session.Topic topic = s.createTopic("t");
            StreamsGroupHeartbeatResponseData joined = join(s, "joins", joining(s, reading("0", topic.name())));
            s.record("asks", heartbeat(s, joined.memberEpoch()).setShutdownApplication(true));
            s.record("is told", heartbeat(s, joined.memberEpoch()));
        });
        cases.everyVersion(HEARTBEAT, "offsets of tasks, tags, a rack", s -> {
            Session.Topic topic = s.createTopic("t");
            StreamsGroupHeartbeatRequestData request =
                    joining(s, reading("0", topic.name())).setRackId("rack");
            request.setClientTags(List.of(new KeyValue().setKey("zone").setValue("z")));
            request.setTaskOffsets(
                    List.of(new TaskOffset().setSubtopologyId("0").setOffset(5)));
            request.setTaskEndOffsets(
                    List.of(new TaskOffset().setSubtopologyId("0").setOffset(9)));
            join(s, "joins", request);
            s.record("described", StreamsAdminCases.describe(s.name("g")));
        });
    }

    private static void addInternalTopics(Cases cases) {
        cases.everyVersion(HEARTBEAT, "internal topics", s -> {
            Session.Topic topic = s.createTopic("t", 3, Map.of());
            Subtopology[] counting = counting(s, topic.name(), Map.of("cleanup.policy", "compact"));
            GroupCases.awaited(s);
            s.record("missing", joining(s, counting));
            join(s, "joins", joining(s, counting));
            s.record("topics", MetadataCases.byNames(s.name("repartition"), s.name("changelog")));
            s.record(
                    "settings",
                    ConfigCases.describe((byte) 2, s.name("changelog"), List.of("cleanup.policy", "retention.ms")));
        });
        cases.everyVersion(HEARTBEAT, "an internal topic that cannot be created", s -> {
            Session.Topic topic = s.createTopic("t");
            Subtopology[] counting = counting(s, topic.name(), Map.of("cleanup.policy", "odd"));
            GroupCases.awaited(s);
            StreamsGroupHeartbeatResponseData answer = s.askUntil(
                    StreamsGroupHeartbeatResponseData.class,
                    joining(s, counting),
                    each -> each.errorCode() != 0 || detail(each).contains("Creation failed: "));
            s.note("names it", String.valueOf(detail(answer).contains(s.name("changelog") + " (")));
            s.note("and not the other", String.valueOf(detail(answer).contains(s.name("repartition") + " (")));
        });
        cases.everyVersion(HEARTBEAT, "missing source topics", s -> {
            GroupCases.awaited(s);
            s.record("answer", joining(s, reading("0", s.name("unknown"))));
        });
        cases.everyVersion(HEARTBEAT, "copartitioned topics of different size", s -> {
            String one = s.createTopic("one").name();
            String two = s.createTopic("two", 2, Map.of()).name();
            Subtopology both = reading("0", one, two);
            both.copartitionGroups().add(together(0, 1));
            GroupCases.awaited(s);
            s.record("answer", joining(s, both));
        });
        cases.everyVersion(HEARTBEAT, "a changelog of another size", s -> {
            String source = s.createTopic("t", 2, Map.of()).name();
            Subtopology stateful = reading("0", source);
            stateful.stateChangelogTopics().add(internal(s.createTopic("c").name(), 0, Map.of()));
            GroupCases.awaited(s);
            s.record("answer", joining(s, stateful));
        });
    }

    private static String detail(StreamsGroupHeartbeatResponseData answer) {
        return answer.status() == null
                ? ""
                : answer.status().stream()
                        .filter(status -> status.statusCode() == Status.MISSING_INTERNAL_TOPICS.code())
                        .map(StreamsGroupHeartbeatResponseData.Status::statusDetail)
                        .findFirst()
                        .orElse("");
    }

    private static void addRequestErrors(Cases cases) {
        error(cases, "empty group", r -> r.setGroupId(""));
        error(cases, "blank group", r -> r.setGroupId("  "));
        error(cases, "no member id", r -> r.setMemberId(""));
        error(cases, "empty rack", r -> r.setRackId(""));
        error(cases, "empty instance", r -> r.setInstanceId(""));
        error(cases, "no topology", r -> r.setTopology(null));
        error(cases, "topology in the middle", r -> r.setMemberEpoch(1));
        error(cases, "no rebalance time-out", r -> r.setRebalanceTimeoutMs(-1));
        error(cases, "rebalance time-out of nothing", r -> r.setRebalanceTimeoutMs(0));
        error(cases, "no process", r -> r.setProcessId(null));
        error(cases, "process without a name", r -> r.setProcessId(""));
        error(
                cases,
                "no tasks told",
                r -> r.setActiveTasks(null).setStandbyTasks(null).setWarmupTasks(null));
        error(cases, "one kind of tasks told", r -> r.setStandbyTasks(null));
        error(cases, "joins with tasks", r -> r.setActiveTasks(tasks("0", 1)));
        error(cases, "warms up", r -> r.setWarmupTasks(tasks("0", 1)));
        error(
                cases,
                "endpoint without a host",
                r -> r.setUserEndpoint(new Endpoint().setHost("").setPort(1)));
        error(
                cases,
                "a tag twice",
                r -> r.setClientTags(List.of(
                        new KeyValue().setKey("zone").setValue("y"),
                        new KeyValue().setKey("zone").setValue("z"))));
        error(
                cases,
                "offsets of a task twice",
                r -> r.setTaskOffsets(List.of(
                        new TaskOffset().setSubtopologyId("0").setOffset(5),
                        new TaskOffset().setSubtopologyId("0").setOffset(6))));
        error(
                cases,
                "offsets of no task",
                r -> r.setTaskEndOffsets(List.of(new TaskOffset()
                        .setSubtopologyId("odd")
                        .setPartition(-7)
                        .setOffset(-6))));
        error(cases, "topology of less than no epoch", r -> r.topology().setEpoch(-2));
        error(cases, "epoch -3", r -> r.setMemberEpoch(-3).setTopology(null));
        error(cases, "unknown member", r -> r.setMemberEpoch(4).setTopology(null));
        error(cases, "leaves and was never there", r -> r.setMemberEpoch(-1).setTopology(null));
        error(cases, "away without an instance", r -> r.setMemberEpoch(-2).setTopology(null));
    }

    private static StreamsGroupHeartbeatRequestData owning(
            Session s, StreamsGroupHeartbeatResponseData joined, List<TaskIds> active) {
        return heartbeat(s, joined.memberEpoch())
                .setActiveTasks(active)
                .setStandbyTasks(new ArrayList<>())
                .setWarmupTasks(new ArrayList<>());
    }

    private static List<TaskIds> twice(List<TaskIds> tasks) {
        tasks.add(tasks.get(0).duplicate());
        return tasks;
    }

    private static void error(Cases cases, String name, Consumer<StreamsGroupHeartbeatRequestData> change) {
        cases.everyVersion(HEARTBEAT, name, s -> {
            GroupCases.awaited(s);
            StreamsGroupHeartbeatRequestData request =
                    joining(s, reading("0", s.createTopic("t").name()));
            change.accept(request);
            s.record("answer", request);
        });
    }

    private static void addMemberErrors(Cases cases) {
        cases.everyVersion(HEARTBEAT, "wrong epoch", s -> {
            StreamsGroupHeartbeatResponseData joined = stable(s, s.createTopic("t", 2, Map.of()));
            s.record("higher", heartbeat(s, joined.memberEpoch() + 1));
            s.record("lower", heartbeat(s, Math.max(1, joined.memberEpoch() - 1)));
            s.record("topology", heartbeat(s, joined.memberEpoch()).setTopology(topology(0)));
            s.record("a task twice", owning(s, joined, twice(tasks("0", 0, 1, 1))));
            s.record("a task of less than no partition", owning(s, joined, tasks("0", -4)));
            s.record("unknown tasks", owning(s, joined, tasks("no such", 5)));
        });
        cases.everyVersion(HEARTBEAT, "group is a classic one", s -> {
            GroupSession.stable(s, "g");
            s.record("answer", joining(s, reading("0", s.name("t"))));
        });
        cases.everyVersion(HEARTBEAT, "classic members of its group", s -> {
            StreamsGroupHeartbeatResponseData joined = stable(s, s.createTopic("t", 2, Map.of()));
            GroupSession.Member member = new GroupSession.Member(s.name("g"), member("a"), joined.memberEpoch());
            s.record("classic heartbeat", GroupCases.heartbeat(member));
            s.record("classic join", GroupSession.join(s.name("g"), ""));
        });
    }
}
