package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ShareGroupHeartbeatRequest;
import org.apache.kafka.common.requests.ShareGroupHeartbeatResponse;

/** ShareGroupHeartbeat (KIP-932): joins, leaves and learns assignments. */
final class ShareGroupHeartbeatHandler implements ApiHandler<ShareGroupHeartbeatRequest> {
    private final GroupPort groups;

    ShareGroupHeartbeatHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.SHARE_GROUP_HEARTBEAT;
    }

    @Override
    public void handle(Call<ShareGroupHeartbeatRequest> call) {
        GroupCalls.answer(
                call,
                groups.shareGroupHeartbeat(
                        GroupCalls.caller(call), call.request().data()),
                ShareGroupHeartbeatResponse::new);
    }
}
