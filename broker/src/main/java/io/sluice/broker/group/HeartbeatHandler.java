package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.HeartbeatRequest;
import org.apache.kafka.common.requests.HeartbeatResponse;

/** Heartbeat of a member of a classic group. */
final class HeartbeatHandler implements ApiHandler<HeartbeatRequest> {
    private final GroupPort groups;

    HeartbeatHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.HEARTBEAT;
    }

    @Override
    public void handle(Call<HeartbeatRequest> call) {
        GroupCalls.answer(
                call, groups.heartbeat(GroupCalls.caller(call), call.request().data()), HeartbeatResponse::new);
    }
}
