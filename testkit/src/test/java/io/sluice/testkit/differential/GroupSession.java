package io.sluice.testkit.differential;

import io.sluice.testkit.wire.RawConnection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** A classic group in the making: what many cases do to it before they ask their own question. */
final class GroupSession {
    static final int SESSION_MILLIS = 30_000;
    /** The last version that lets a member without an id in at once. */
    private static final int WITHOUT_MEMBER_ID = 3;

    private GroupSession() {}

    /**
     * A member that has joined.
     *
     * @param generation of the group when it did
     */
    record Member(String group, String id, int generation) {}

    /** Waits until somebody coordinates the group and has loaded it. */
    static void awaitCoordinator(Session s, String group) throws Exception {
        FindCoordinatorRequestData find =
                new FindCoordinatorRequestData().setKeyType((byte) 0).setCoordinatorKeys(List.of(group));
        s.askUntil(
                FindCoordinatorResponseData.class,
                find,
                answer -> answer.coordinators().get(0).errorCode() == 0);
        DescribeGroupsRequestData describe = new DescribeGroupsRequestData().setGroups(List.of(group));
        s.askUntil(DescribeGroupsResponseData.class, describe, answer -> {
            short error = answer.groups().get(0).errorCode();
            return error == Errors.NONE.code() || error == Errors.GROUP_ID_NOT_FOUND.code();
        });
    }

    /** A group of one member, in balance, assigned "mine". */
    static Member stable(Session s, String suffix) throws Exception {
        Member member = joined(s, suffix);
        SyncGroupResponseData synced =
                s.connection().call(SyncGroupResponseData.class, WITHOUT_MEMBER_ID, sync(member, member.id()));
        if (synced.errorCode() != 0) {
            throw new IllegalStateException("The group could not be balanced: " + synced);
        }
        return member;
    }

    /** A group of one member that has not been assigned anything yet. */
    static Member joined(Session s, String suffix) throws Exception {
        String group = s.name(suffix);
        awaitCoordinator(s, group);
        Member member = joinedOn(s.connection(), join(group, ""));
        s.know(member.id());
        return member;
    }

    static Member joinedOn(RawConnection connection, JoinGroupRequestData request) throws Exception {
        JoinGroupResponseData answer = connection.call(JoinGroupResponseData.class, WITHOUT_MEMBER_ID, request);
        if (answer.errorCode() != 0) {
            throw new IllegalStateException("The group could not be joined: " + answer);
        }
        return new Member(request.groupId(), answer.memberId(), answer.generationId());
    }

    static JoinGroupRequestData join(String group, String memberId) {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setSessionTimeoutMs(SESSION_MILLIS)
                .setRebalanceTimeoutMs(SESSION_MILLIS)
                .setProtocolType("consumer");
        request.protocols().add(protocol("range"));
        request.protocols().add(protocol("roundrobin"));
        return request;
    }

    static JoinGroupRequestData.JoinGroupRequestProtocol protocol(String name) {
        return new JoinGroupRequestData.JoinGroupRequestProtocol()
                .setName(name)
                .setMetadata(("subscription for " + name).getBytes(StandardCharsets.UTF_8));
    }

    /** @param leaderOf the member to be assigned "mine"; null for a follower's request, which assigns nothing */
    static SyncGroupRequestData sync(Member member, @Nullable String leaderOf) {
        SyncGroupRequestData request = new SyncGroupRequestData()
                .setGroupId(member.group())
                .setMemberId(member.id())
                .setGenerationId(member.generation())
                .setProtocolType("consumer")
                .setProtocolName("range");
        if (leaderOf != null) {
            request.assignments()
                    .add(new SyncGroupRequestData.SyncGroupRequestAssignment()
                            .setMemberId(leaderOf)
                            .setAssignment("mine".getBytes(StandardCharsets.UTF_8)));
        }
        return request;
    }
}
