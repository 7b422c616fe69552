package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.LeaveGroupRequest;
import org.apache.kafka.common.requests.LeaveGroupResponse;

/** LeaveGroup: one member before version 3, a list since (KIP-345). */
final class LeaveGroupHandler implements ApiHandler<LeaveGroupRequest> {
    private final GroupPort groups;

    LeaveGroupHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.LEAVE_GROUP;
    }

    @Override
    public void handle(Call<LeaveGroupRequest> call) {
        GroupCalls.answer(
                call,
                groups.leaveGroup(GroupCalls.caller(call), call.request().normalizedData()),
                data -> new LeaveGroupResponse(data, call.header().apiVersion()));
    }
}
