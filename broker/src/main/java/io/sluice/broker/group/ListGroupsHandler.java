package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ListGroupsRequest;
import org.apache.kafka.common.requests.ListGroupsResponse;

/** ListGroups: the groups coordinated here, filtered by state (KIP-518) and type (KIP-848). */
final class ListGroupsHandler implements ApiHandler<ListGroupsRequest> {
    private final GroupPort groups;

    ListGroupsHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.LIST_GROUPS;
    }

    @Override
    public void handle(Call<ListGroupsRequest> call) {
        GroupCalls.answer(
                call, groups.listGroups(GroupCalls.caller(call), call.request().data()), ListGroupsResponse::new);
    }
}
