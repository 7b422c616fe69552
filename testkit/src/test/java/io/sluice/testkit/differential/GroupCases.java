package io.sluice.testkit.differential;

import io.sluice.testkit.wire.RawConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** FindCoordinator and the classic group protocol. */
final class GroupCases {
    private static final int FIRST_FIND_OF_MANY = 4;
    private static final int FIRST_WITH_MEMBER_ID_REQUIRED = 4;
    private static final int FIRST_JOIN_WITH_INSTANCE = 5;
    private static final int FIRST_LEAVE_OF_MANY = 3;

    private GroupCases() {}

    static void addTo(Cases cases) {
        addFind(cases);
        addJoin(cases);
        addJoinErrors(cases);
        addSync(cases);
        addHeartbeat(cases);
        addLeave(cases);
    }

    private static void addFind(Cases cases) {
        cases.everyVersion(ApiKeys.FIND_COORDINATOR, "of a group", s -> find(s, (byte) 0, s.name("g")));
        cases.everyVersion(ApiKeys.FIND_COORDINATOR, "empty key", s -> find(s, (byte) 0, ""));
        cases.from(ApiKeys.FIND_COORDINATOR, 1, "unknown key type", s -> find(s, (byte) 9, s.name("g")));
        cases.from(
                ApiKeys.FIND_COORDINATOR,
                FIRST_FIND_OF_MANY,
                "of many groups",
                s -> find(s, (byte) 0, s.name("a"), s.name("b"), s.name("a")));
        cases.from(ApiKeys.FIND_COORDINATOR, FIRST_FIND_OF_MANY, "of none", s -> find(s, (byte) 0));
    }

    private static void find(Session s, byte type, String... keys) throws Exception {
        FindCoordinatorRequestData request = new FindCoordinatorRequestData().setKeyType(type);
        if (s.version() < FIRST_FIND_OF_MANY) {
            request.setKey(keys[0]);
        } else {
            request.setCoordinatorKeys(new ArrayList<>(List.of(keys)));
        }
        short notYet = Errors.COORDINATOR_NOT_AVAILABLE.code();
        s.recordWhen(
                FindCoordinatorResponseData.class,
                "answer",
                request,
                answer -> answer.errorCode() != notYet
                        && answer.coordinators().stream().noneMatch(each -> each.errorCode() == notYet));
    }

    private static void addJoin(Cases cases) {
        cases.everyVersion(ApiKeys.JOIN_GROUP, "first member", s -> {
            String group = awaited(s);
            JoinGroupResponseData first = s.record(JoinGroupResponseData.class, "first", GroupSession.join(group, ""));
            if (s.version() >= FIRST_WITH_MEMBER_ID_REQUIRED) {
                s.record("with the id", GroupSession.join(group, first.memberId()));
            }
        });
        cases.everyVersion(ApiKeys.JOIN_GROUP, "joins again", s -> {
            GroupSession.Member member = GroupSession.stable(s, "g");
            s.record("answer", GroupSession.join(member.group(), member.id()));
        });
        cases.everyVersion(ApiKeys.JOIN_GROUP, "second member", GroupCases::secondMember);
        cases.from(ApiKeys.JOIN_GROUP, FIRST_JOIN_WITH_INSTANCE, "static member", s -> {
            String group = awaited(s);
            JoinGroupResponseData first = s.record(
                    JoinGroupResponseData.class,
                    "first",
                    GroupSession.join(group, "").setGroupInstanceId("one"));
            s.record("comes back", GroupSession.join(group, "").setGroupInstanceId("one"));
            s.record("old id", GroupSession.join(group, first.memberId()).setGroupInstanceId("one"));
            s.record(
                    "heartbeat with the old id",
                    heartbeat(new GroupSession.Member(group, first.memberId(), 1))
                            .setGroupInstanceId("one"));
        });
    }

    private static void addJoinErrors(Cases cases) {
        join(cases, "unknown member", r -> r.setMemberId("nobody"));
        join(cases, "session too short", r -> r.setSessionTimeoutMs(100));
        join(cases, "session too long", r -> r.setSessionTimeoutMs(Integer.MAX_VALUE));
        join(cases, "empty group", r -> r.setGroupId(""));
        join(cases, "no protocols", r -> r.protocols().clear());
        join(cases, "empty protocol type", r -> r.setProtocolType(""));
        cases.everyVersion(ApiKeys.JOIN_GROUP, "another protocol type", s -> {
            GroupSession.Member member = GroupSession.stable(s, "g");
            s.record("answer", GroupSession.join(member.group(), "").setProtocolType("connect"));
        });
        cases.everyVersion(ApiKeys.JOIN_GROUP, "no protocol in common", s -> {
            GroupSession.Member member = GroupSession.stable(s, "g");
            JoinGroupRequestData request = GroupSession.join(member.group(), "");
            request.protocols().clear();
            request.protocols().add(GroupSession.protocol("sticky"));
            s.record("answer", request);
        });
    }

    private static void join(Cases cases, String name, Consumer<JoinGroupRequestData> change) {
        cases.everyVersion(ApiKeys.JOIN_GROUP, name, s -> {
            JoinGroupRequestData request = GroupSession.join(awaited(s), "");
            change.accept(request);
            s.record("answer", request);
        });
    }

    /** The first member is told by its heartbeat, joins again, and both are answered. */
    private static void secondMember(Session s) throws Exception {
        GroupSession.Member first = GroupSession.stable(s, "g");
        RawConnection other = s.connect();
        String id = "";
        if (s.version() >= FIRST_WITH_MEMBER_ID_REQUIRED) {
            RawConnection.Answer required = other.call(s.version(), GroupSession.join(first.group(), ""));
            s.recordAnswer("id required", required);
            id = ((JoinGroupResponseData) required.body()).memberId();
        }
        other.send(s.version(), GroupSession.join(first.group(), id));
        s.askUntil(
                HeartbeatResponseData.class,
                heartbeat(first),
                answer -> answer.errorCode() == Errors.REBALANCE_IN_PROGRESS.code());
        s.record("first heartbeats", heartbeat(first));
        s.record("first joins again", GroupSession.join(first.group(), first.id()));
        RawConnection.Answer second = other.receive(ApiKeys.JOIN_GROUP, s.version());
        s.recordAnswer("second", second);
        JoinGroupResponseData joined = (JoinGroupResponseData) second.body();
        GroupSession.Member follower = new GroupSession.Member(first.group(), joined.memberId(), joined.generationId());
        other.send(ApiKeys.SYNC_GROUP.latestVersion(false), GroupSession.sync(follower, null));
        GroupSession.Member leader = new GroupSession.Member(first.group(), first.id(), joined.generationId());
        s.record("leader syncs", GroupSession.sync(leader, follower.id()));
        s.recordAnswer("follower syncs", other.receive(ApiKeys.SYNC_GROUP, ApiKeys.SYNC_GROUP.latestVersion(false)));
        s.record("old generation", heartbeat(first));
    }

    private static void addSync(Cases cases) {
        cases.everyVersion(ApiKeys.SYNC_GROUP, "leader of one", s -> {
            GroupSession.Member member = GroupSession.joined(s, "g");
            s.record("answer", GroupSession.sync(member, member.id()));
            s.record("again", GroupSession.sync(member, member.id()));
        });
        cases.everyVersion(
                ApiKeys.SYNC_GROUP,
                "leader assigns nothing",
                s -> s.record("answer", GroupSession.sync(GroupSession.joined(s, "g"), null)));
        sync(cases, "unknown member", r -> r.setMemberId("nobody"));
        sync(cases, "wrong generation", r -> r.setGenerationId(5));
        sync(cases, "unknown group", r -> r.setGroupId(r.groupId() + ".unknown"));
        sync(cases, "empty group", r -> r.setGroupId(""));
        cases.from(ApiKeys.SYNC_GROUP, 5, "another protocol", s -> {
            GroupSession.Member member = GroupSession.joined(s, "g");
            s.record("name", GroupSession.sync(member, member.id()).setProtocolName("sticky"));
            s.record("type", GroupSession.sync(member, member.id()).setProtocolType("connect"));
        });
    }

    private static void sync(Cases cases, String name, Consumer<SyncGroupRequestData> change) {
        cases.everyVersion(ApiKeys.SYNC_GROUP, name, s -> {
            GroupSession.Member member = GroupSession.joined(s, "g");
            SyncGroupRequestData request = GroupSession.sync(member, member.id());
            change.accept(request);
            s.record("answer", request);
        });
    }

    private static void addHeartbeat(Cases cases) {
        heartbeat(cases, "in balance", r -> r.setGroupInstanceId(null));
        heartbeat(cases, "unknown member", r -> r.setMemberId("nobody"));
        heartbeat(cases, "wrong generation", r -> r.setGenerationId(5));
        heartbeat(cases, "unknown group", r -> r.setGroupId(r.groupId() + ".unknown"));
        heartbeat(cases, "empty group", r -> r.setGroupId(""));
        cases.everyVersion(
                ApiKeys.HEARTBEAT,
                "before the assignment",
                s -> s.record("answer", heartbeat(GroupSession.joined(s, "g"))));
        cases.from(
                ApiKeys.HEARTBEAT,
                3,
                "unknown instance",
                s -> s.record("answer", heartbeat(GroupSession.stable(s, "g")).setGroupInstanceId("one")));
    }

    private static void heartbeat(Cases cases, String name, Consumer<HeartbeatRequestData> change) {
        cases.everyVersion(ApiKeys.HEARTBEAT, name, s -> {
            HeartbeatRequestData request = heartbeat(GroupSession.stable(s, "g"));
            change.accept(request);
            s.record("answer", request);
        });
    }

    private static void addLeave(Cases cases) {
        cases.everyVersion(ApiKeys.LEAVE_GROUP, "member", s -> {
            GroupSession.Member member = GroupSession.stable(s, "g");
            s.record("answer", leave(s, member.group(), member.id()));
            s.record("again", leave(s, member.group(), member.id()));
            s.record("heartbeat then", heartbeat(member));
        });
        cases.everyVersion(
                ApiKeys.LEAVE_GROUP,
                "unknown member",
                s -> s.record("answer", leave(s, GroupSession.stable(s, "g").group(), "nobody")));
        cases.everyVersion(
                ApiKeys.LEAVE_GROUP, "unknown group", s -> s.record("answer", leave(s, awaited(s), "nobody")));
        cases.everyVersion(ApiKeys.LEAVE_GROUP, "empty group", s -> s.record("answer", leave(s, "", "nobody")));
        cases.from(ApiKeys.LEAVE_GROUP, FIRST_LEAVE_OF_MANY, "several members", s -> {
            GroupSession.Member member = GroupSession.stable(s, "g");
            LeaveGroupRequestData request = leave(s, member.group(), member.id());
            request.members().add(new LeaveGroupRequestData.MemberIdentity().setMemberId("nobody"));
            request.members()
                    .add(new LeaveGroupRequestData.MemberIdentity()
                            .setMemberId("")
                            .setGroupInstanceId("none"));
            s.record("answer", request);
        });
    }

    static HeartbeatRequestData heartbeat(GroupSession.Member member) {
        return new HeartbeatRequestData()
                .setGroupId(member.group())
                .setMemberId(member.id())
                .setGenerationId(member.generation());
    }

    private static LeaveGroupRequestData leave(Session s, String group, String member) {
        LeaveGroupRequestData request = new LeaveGroupRequestData().setGroupId(group);
        if (s.version() < FIRST_LEAVE_OF_MANY) {
            return request.setMemberId(member);
        }
        request.members().add(new LeaveGroupRequestData.MemberIdentity().setMemberId(member));
        return request;
    }

    static String awaited(Session s) throws Exception {
        GroupSession.awaitCoordinator(s, s.name("g"));
        return s.name("g");
    }
}
