package io.sluice.testkit.differential;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** ListGroups, DescribeGroups and DeleteGroups. */
final class GroupAdminCases {
    private GroupAdminCases() {}

    static void addTo(Cases cases) {
        cases.everyVersion(ApiKeys.LIST_GROUPS, "two states", s -> {
            GroupSession.stable(s, "stable");
            OffsetCases.commitFirst(s, s.createTopic("t"));
            record(s, "answer", new ListGroupsRequestData());
        });
        cases.from(ApiKeys.LIST_GROUPS, 4, "by state", s -> {
            GroupSession.stable(s, "stable");
            OffsetCases.commitFirst(s, s.createTopic("t"));
            record(s, "stable", new ListGroupsRequestData().setStatesFilter(List.of("Stable")));
            record(s, "other case", new ListGroupsRequestData().setStatesFilter(List.of("sTABLE")));
            record(s, "empty", new ListGroupsRequestData().setStatesFilter(List.of("Empty")));
            record(s, "unknown", new ListGroupsRequestData().setStatesFilter(List.of("Sleepy")));
        });
        cases.from(ApiKeys.LIST_GROUPS, 5, "by type", s -> {
            GroupSession.stable(s, "stable");
            record(s, "classic", new ListGroupsRequestData().setTypesFilter(List.of("classic")));
            record(s, "consumer", new ListGroupsRequestData().setTypesFilter(List.of("Consumer")));
            record(s, "unknown", new ListGroupsRequestData().setTypesFilter(List.of("odd")));
        });
        addDescribe(cases);
        addDelete(cases);
    }

    /** Keeps the case's own groups. */
    private static void record(Session s, String label, ListGroupsRequestData request) throws Exception {
        s.record(
                ListGroupsResponseData.class,
                label,
                request,
                answer -> answer.groups().removeIf(each -> !each.groupId().startsWith(s.name(""))));
    }

    private static void addDescribe(Cases cases) {
        ApiKeys api = ApiKeys.DESCRIBE_GROUPS;
        cases.everyVersion(
                api,
                "stable",
                s -> s.record("answer", describe(GroupSession.stable(s, "g").group())));
        cases.everyVersion(
                api,
                "being balanced",
                // A join may be answered before it is written, and only what is written is described.
                s -> s.recordWhen(
                        DescribeGroupsResponseData.class,
                        "answer",
                        describe(GroupSession.joined(s, "g").group()),
                        answer -> !answer.groups().get(0).groupState().equals("Dead")));
        cases.everyVersion(api, "only offsets", s -> {
            OffsetCases.commitFirst(s, s.createTopic("t"));
            s.record("answer", describe(s.name("g")));
        });
        cases.everyVersion(api, "unknown", s -> s.record("answer", describe(GroupCases.awaited(s))));
        cases.everyVersion(api, "empty name", s -> {
            GroupCases.awaited(s);
            s.record("answer", describe(""));
        });
        cases.everyVersion(api, "none", s -> s.record("answer", describe()));
        cases.from(
                api,
                3,
                "authorized operations",
                s -> s.record(
                        "answer", describe(GroupSession.stable(s, "g").group()).setIncludeAuthorizedOperations(true)));
    }

    private static void addDelete(Cases cases) {
        ApiKeys api = ApiKeys.DELETE_GROUPS;
        cases.everyVersion(api, "only offsets", s -> {
            OffsetCases.commitFirst(s, s.createTopic("t"));
            s.record("answer", delete(s.name("g")));
            s.record("again", delete(s.name("g")));
            s.record("described", describe(s.name("g")));
        });
        cases.everyVersion(
                api,
                "with members",
                s -> s.record("answer", delete(GroupSession.stable(s, "g").group())));
        cases.everyVersion(api, "unknown", s -> s.record("answer", delete(GroupCases.awaited(s))));
        cases.everyVersion(api, "several", s -> {
            OffsetCases.commitFirst(s, s.createTopic("t"));
            s.record("answer", delete(s.name("g"), s.name("unknown"), s.name("g")));
        });
        cases.everyVersion(api, "empty name", s -> {
            GroupCases.awaited(s);
            s.record("answer", delete(""));
        });
    }

    private static DescribeGroupsRequestData describe(String... groups) {
        return new DescribeGroupsRequestData().setGroups(new ArrayList<>(List.of(groups)));
    }

    private static DeleteGroupsRequestData delete(String... groups) {
        return new DeleteGroupsRequestData().setGroupsNames(new ArrayList<>(List.of(groups)));
    }
}
