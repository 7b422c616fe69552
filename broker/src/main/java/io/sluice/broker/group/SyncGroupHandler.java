package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.SyncGroupRequest;
import org.apache.kafka.common.requests.SyncGroupResponse;

/** SyncGroup: answered when the leader's assignment is durable. */
final class SyncGroupHandler implements ApiHandler<SyncGroupRequest> {
    private final GroupPort groups;

    SyncGroupHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.SYNC_GROUP;
    }

    @Override
    public void handle(Call<SyncGroupRequest> call) {
        SyncGroupRequest request = call.request();
        if (!request.areMandatoryProtocolTypeAndNamePresent()) {
            call.respond(request.getErrorResponse(0, Errors.INCONSISTENT_GROUP_PROTOCOL.exception()));
            return;
        }
        GroupCalls.answer(call, groups.syncGroup(GroupCalls.caller(call), request.data()), SyncGroupResponse::new);
    }
}
