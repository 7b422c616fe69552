package io.sluice.testkit.differential;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** OffsetCommit, OffsetFetch and OffsetDelete. */
final class OffsetCases {
    private static final int FIRST_FETCH_OF_MANY_GROUPS = 8;
    private static final int FIRST_FETCH_OF_ALL = 2;
    private static final int FIRST_COMMIT_WITH_IDS = 10;
    private static final int FIRST_FETCH_WITH_IDS = 10;

    private OffsetCases() {}

    static void addTo(Cases cases) {
        addCommit(cases);
        addCommitErrors(cases);
        addFetch(cases);
        addDelete(cases);
    }

    private static void addCommit(Cases cases) {
        cases.everyVersion(ApiKeys.OFFSET_COMMIT, "by nobody in particular", s -> {
            Session.Topic topic = s.createTopic("t", 2, java.util.Map.of());
            s.record("answer", commit(GroupCases.awaited(s), topic, 0, 17, "note"));
            s.record("fetched", fetchNewest(s.name("g"), topic));
        });
        cases.everyVersion(ApiKeys.OFFSET_COMMIT, "by a member", s -> {
            Session.Topic topic = s.createTopic("t");
            GroupSession.Member member = GroupSession.stable(s, "g");
            s.record("answer", by(member, commit(member.group(), topic, 0, 3, "")));
            s.record("fetched", fetchNewest(member.group(), topic));
        });
        cases.from(ApiKeys.OFFSET_COMMIT, 6, "leader epoch", s -> {
            Session.Topic topic = s.createTopic("t");
            OffsetCommitRequestData request = commit(GroupCases.awaited(s), topic, 0, 17, "");
            request.topics().get(0).partitions().get(0).setCommittedLeaderEpoch(4);
            s.record("answer", request);
            s.record("fetched", fetchNewest(s.name("g"), topic));
        });
        cases.versions(ApiKeys.OFFSET_COMMIT, 2, 4, "retention time", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", commit(GroupCases.awaited(s), topic, 0, 17, "").setRetentionTimeMs(1_000_000));
            s.record("fetched", fetchNewest(s.name("g"), topic));
        });
        cases.everyVersion(ApiKeys.OFFSET_COMMIT, "negative offset", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", commit(GroupCases.awaited(s), topic, 0, -5, ""));
            s.record("fetched", fetchNewest(s.name("g"), topic));
        });
        cases.everyVersion(ApiKeys.OFFSET_COMMIT, "null metadata", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", commit(GroupCases.awaited(s), topic, 0, 2, null));
            s.record("fetched", fetchNewest(s.name("g"), topic));
        });
        cases.everyVersion(
                ApiKeys.OFFSET_COMMIT,
                "no topics",
                s -> s.record("answer", new OffsetCommitRequestData().setGroupId(GroupCases.awaited(s))));
    }

    private static void addCommitErrors(Cases cases) {
        cases.everyVersion(
                ApiKeys.OFFSET_COMMIT,
                "metadata too large",
                s -> s.record("answer", commit(GroupCases.awaited(s), s.createTopic("t"), 0, 1, "x".repeat(5_000))));
        cases.everyVersion(
                ApiKeys.OFFSET_COMMIT,
                "unknown topic",
                s -> s.record(
                        "answer",
                        commit(GroupCases.awaited(s), new Session.Topic(s.name("unknown"), new Uuid(6, 6)), 0, 1, "")));
        cases.everyVersion(
                ApiKeys.OFFSET_COMMIT,
                "unknown partition",
                s -> s.record("answer", commit(GroupCases.awaited(s), s.createTopic("t"), 8, 1, "")));
        cases.everyVersion(ApiKeys.OFFSET_COMMIT, "empty group", s -> {
            GroupCases.awaited(s);
            s.record("answer", commit("", s.createTopic("t"), 0, 1, ""));
        });
        addCommitMemberErrors(cases);
    }

    private static void addCommitMemberErrors(Cases cases) {
        cases.everyVersion(ApiKeys.OFFSET_COMMIT, "unknown member", s -> {
            GroupSession.Member member = GroupSession.stable(s, "g");
            s.record(
                    "answer",
                    by(
                            new GroupSession.Member(member.group(), "nobody", 1),
                            commit(member.group(), s.createTopic("t"), 0, 1, "")));
        });
        cases.everyVersion(
                ApiKeys.OFFSET_COMMIT,
                "generation of a group that is not there",
                s -> s.record(
                        "answer",
                        by(
                                new GroupSession.Member(GroupCases.awaited(s), "nobody", 1),
                                commit(s.name("g"), s.createTopic("t"), 0, 1, ""))));
        cases.everyVersion(ApiKeys.OFFSET_COMMIT, "old generation", s -> {
            GroupSession.Member member = GroupSession.stable(s, "g");
            s.record(
                    "answer",
                    by(
                            new GroupSession.Member(member.group(), member.id(), member.generation() - 1),
                            commit(member.group(), s.createTopic("t"), 0, 1, "")));
            s.record(
                    "future generation",
                    by(
                            new GroupSession.Member(member.group(), member.id(), member.generation() + 1),
                            commit(member.group(), new Session.Topic(s.name("t"), Uuid.ZERO_UUID), 0, 1, "")));
        });
        cases.everyVersion(ApiKeys.OFFSET_COMMIT, "no member of a group in balance", s -> {
            GroupSession.Member member = GroupSession.stable(s, "g");
            s.record("answer", commit(member.group(), s.createTopic("t"), 0, 1, ""));
        });
        cases.from(ApiKeys.OFFSET_COMMIT, 7, "unknown instance", s -> {
            GroupSession.Member member = GroupSession.stable(s, "g");
            s.record(
                    "answer",
                    by(member, commit(member.group(), s.createTopic("t"), 0, 1, ""))
                            .setGroupInstanceId("one"));
        });
        cases.from(
                ApiKeys.OFFSET_COMMIT,
                FIRST_COMMIT_WITH_IDS,
                "zero id",
                s -> s.record(
                        "answer", commit(GroupCases.awaited(s), new Session.Topic("", Uuid.ZERO_UUID), 0, 1, "")));
    }

    private static void addFetch(Cases cases) {
        cases.everyVersion(ApiKeys.OFFSET_FETCH, "committed and not", s -> {
            Session.Topic topic = s.createTopic("t", 2, java.util.Map.of());
            commitFirst(s, topic);
            s.record("answer", fetch(s, s.name("g"), topic, List.of(0, 1, 9)));
        });
        cases.everyVersion(
                ApiKeys.OFFSET_FETCH,
                "unknown group",
                s -> s.record("answer", fetch(s, GroupCases.awaited(s), s.createTopic("t"), List.of(0))));
        cases.everyVersion(ApiKeys.OFFSET_FETCH, "empty group", s -> {
            GroupCases.awaited(s);
            s.record("answer", fetch(s, "", s.createTopic("t"), List.of(0)));
        });
        cases.everyVersion(
                ApiKeys.OFFSET_FETCH,
                "unknown topic",
                s -> s.record(
                        "answer",
                        fetch(
                                s,
                                GroupCases.awaited(s),
                                new Session.Topic(s.name("unknown"), new Uuid(6, 7)),
                                List.of(0))));
        cases.from(ApiKeys.OFFSET_FETCH, FIRST_FETCH_OF_ALL, "all", s -> {
            Session.Topic topic = s.createTopic("t");
            commitFirst(s, topic);
            s.record("answer", fetch(s, s.name("g"), topic, null));
        });
        cases.everyVersion(ApiKeys.OFFSET_FETCH, "no topics", s -> {
            Session.Topic topic = s.createTopic("t");
            commitFirst(s, topic);
            OffsetFetchRequestData request = fetch(s, s.name("g"), topic, List.of());
            request.topics().clear();
            request.groups().forEach(each -> each.topics().clear());
            s.record("answer", request);
        });
        addFetchMore(cases);
    }

    private static void addFetchMore(Cases cases) {
        cases.from(ApiKeys.OFFSET_FETCH, 7, "require stable", s -> {
            Session.Topic topic = s.createTopic("t");
            commitFirst(s, topic);
            s.record("answer", fetch(s, s.name("g"), topic, List.of(0)).setRequireStable(true));
        });
        cases.from(ApiKeys.OFFSET_FETCH, FIRST_FETCH_OF_MANY_GROUPS, "several groups", s -> {
            Session.Topic topic = s.createTopic("t");
            commitFirst(s, topic);
            OffsetFetchRequestData request = fetch(s, s.name("g"), topic, List.of(0));
            request.groups().addAll(fetch(s, s.name("other"), topic, List.of(0)).groups());
            s.record("answer", request);
        });
        cases.from(ApiKeys.OFFSET_FETCH, 9, "member epoch of a classic group", s -> {
            Session.Topic topic = s.createTopic("t");
            commitFirst(s, topic);
            OffsetFetchRequestData request = fetch(s, s.name("g"), topic, List.of(0));
            request.groups().get(0).setMemberId("nobody").setMemberEpoch(1);
            s.record("answer", request);
        });
        cases.everyVersion(ApiKeys.OFFSET_FETCH, "topic deleted since", s -> {
            Session.Topic topic = s.createTopic("t");
            commitFirst(s, topic);
            s.ask(
                    org.apache.kafka.common.message.DeleteTopicsResponseData.class,
                    TopicCases.deleteByName(List.of(topic.name())));
            s.awaitGone(topic);
            s.record("answer", fetch(s, s.name("g"), topic, List.of(0)));
        });
    }

    private static void addDelete(Cases cases) {
        cases.everyVersion(ApiKeys.OFFSET_DELETE, "committed and not", s -> {
            Session.Topic topic = s.createTopic("t", 2, java.util.Map.of());
            commitFirst(s, topic);
            s.record("answer", delete(s.name("g"), topic.name(), 0, 1, 9));
            s.record("fetched", fetchNewest(s.name("g"), topic));
        });
        cases.everyVersion(
                ApiKeys.OFFSET_DELETE,
                "unknown group",
                s -> s.record(
                        "answer",
                        delete(GroupCases.awaited(s), s.createTopic("t").name(), 0)));
        cases.everyVersion(ApiKeys.OFFSET_DELETE, "unknown topic", s -> {
            commitFirst(s, s.createTopic("t"));
            s.record("answer", delete(s.name("g"), s.name("unknown"), 0));
        });
        cases.everyVersion(ApiKeys.OFFSET_DELETE, "empty group", s -> {
            GroupCases.awaited(s);
            s.record("answer", delete("", s.createTopic("t").name(), 0));
        });
        cases.everyVersion(ApiKeys.OFFSET_DELETE, "group with members", s -> {
            GroupSession.Member member = GroupSession.stable(s, "g");
            s.record("answer", delete(member.group(), s.createTopic("t").name(), 0));
        });
    }

    /** Commits offset 42 of partition 0 for the group "g" of the case. */
    static void commitFirst(Session s, Session.Topic topic) throws Exception {
        OffsetCommitRequestData request = commit(GroupCases.awaited(s), topic, 0, 42, "a note");
        OffsetCommitResponseData answer = s.ask(OffsetCommitResponseData.class, request);
        if (answer.topics().get(0).partitions().get(0).errorCode() != 0) {
            throw new IllegalStateException("The offset could not be committed: " + answer);
        }
    }

    private static OffsetCommitRequestData commit(
            String group, Session.Topic topic, int partition, long offset, @Nullable String note) {
        OffsetCommitRequestData.OffsetCommitRequestTopic of = new OffsetCommitRequestData.OffsetCommitRequestTopic()
                .setName(topic.name())
                .setTopicId(topic.id());
        of.partitions()
                .add(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                        .setPartitionIndex(partition)
                        .setCommittedOffset(offset)
                        .setCommittedMetadata(note));
        OffsetCommitRequestData request = new OffsetCommitRequestData().setGroupId(group);
        request.topics().add(of);
        return request;
    }

    private static OffsetCommitRequestData by(GroupSession.Member member, OffsetCommitRequestData request) {
        return request.setMemberId(member.id()).setGenerationIdOrMemberEpoch(member.generation());
    }

    private static OffsetFetchRequestData fetchNewest(String group, Session.Topic topic) {
        return fetch(ApiKeys.OFFSET_FETCH.latestVersion(false), group, topic, List.of(0, 1));
    }

    static OffsetFetchRequestData fetch(
            Session s, String group, Session.Topic topic, @Nullable List<Integer> partitions) {
        return fetch(s.version(), group, topic, partitions);
    }

    /** @param partitions null asks for everything that the group has */
    private static OffsetFetchRequestData fetch(
            short version, String group, Session.Topic topic, @Nullable List<Integer> partitions) {
        OffsetFetchRequestData request = new OffsetFetchRequestData();
        if (version < FIRST_FETCH_OF_MANY_GROUPS) {
            request.setGroupId(group);
            if (partitions == null) {
                return request.setTopics(null);
            }
            request.topics()
                    .add(new OffsetFetchRequestData.OffsetFetchRequestTopic()
                            .setName(topic.name())
                            .setPartitionIndexes(partitions));
            return request;
        }
        OffsetFetchRequestData.OffsetFetchRequestGroup of =
                new OffsetFetchRequestData.OffsetFetchRequestGroup().setGroupId(group);
        request.setGroups(new ArrayList<>(List.of(of)));
        if (partitions == null) {
            of.setTopics(null);
            return request;
        }
        of.topics()
                .add(new OffsetFetchRequestData.OffsetFetchRequestTopics()
                        .setName(version < FIRST_FETCH_WITH_IDS ? topic.name() : "")
                        .setTopicId(topic.id())
                        .setPartitionIndexes(partitions));
        return request;
    }

    private static OffsetDeleteRequestData delete(String group, String topic, int... partitions) {
        OffsetDeleteRequestData.OffsetDeleteRequestTopic of =
                new OffsetDeleteRequestData.OffsetDeleteRequestTopic().setName(topic);
        for (int partition : partitions) {
            of.partitions()
                    .add(new OffsetDeleteRequestData.OffsetDeleteRequestPartition().setPartitionIndex(partition));
        }
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId(group);
        request.topics().add(of);
        return request;
    }
}
