package io.sluice.coordinator.library;

import io.sluice.coordinator.group.StreamsHeartbeat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Endpoint;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Endpoints of members of streams groups (KIP-1071) that the library could not take yet. It goes through the endpoints of a group
 * at each heartbeat, and fails where topics of the topology are missing or do not go together: the member would never hear that.
 * So it is asked again without the endpoint, and since members tell theirs only once, that goes with their next heartbeats until
 * it is taken. Safe on every thread.
 */
final class PostponedEndpoints {
    /** Most members; beyond, the one that has waited longest is forgotten. */
    static final int MOST = 10_000;

    private final Map<Member, Endpoint> waiting = new LinkedHashMap<>();

    private record Member(String groupId, String memberId) {}

    /** Asks with the member's endpoint, be it one that was told before, and where that fails without it. */
    CompletionStage<StreamsHeartbeat> ask(
            StreamsGroupHeartbeatRequestData request,
            Function<StreamsGroupHeartbeatRequestData, CompletionStage<StreamsHeartbeat>> library) {
        Member member = new Member(request.groupId(), request.memberId());
        Endpoint postponed = take(member);
        boolean leaves = request.memberEpoch() < 0;
        Endpoint told = request.userEndpoint() == null && !leaves ? postponed : request.userEndpoint();
        if (told == null) {
            return library.apply(request);
        }
        return library.apply(request.duplicate().setUserEndpoint(told)).thenCompose(answer -> {
            if (answer.answer().errorCode() != Errors.UNKNOWN_SERVER_ERROR.code()) {
                return CompletableFuture.completedFuture(answer);
            }
            postpone(member, told);
            return library.apply(request.duplicate().setUserEndpoint(null));
        });
    }

    private synchronized @Nullable Endpoint take(Member member) {
        return waiting.remove(member);
    }

    private synchronized void postpone(Member member, Endpoint endpoint) {
        waiting.put(member, endpoint);
        if (waiting.size() > MOST) {
            Iterator<Member> oldest = waiting.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }
}
