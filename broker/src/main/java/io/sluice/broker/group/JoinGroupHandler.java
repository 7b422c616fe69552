package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.JoinGroupResponse;

/** JoinGroup: answered when the rebalance that it takes part in has gathered its members. */
final class JoinGroupHandler implements ApiHandler<JoinGroupRequest> {
    private final GroupPort groups;

    JoinGroupHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.JOIN_GROUP;
    }

    @Override
    public void handle(Call<JoinGroupRequest> call) {
        GroupCalls.answer(
                call,
                groups.joinGroup(GroupCalls.caller(call), call.request().data()),
                data -> new JoinGroupResponse(data, call.header().apiVersion()));
    }
}
