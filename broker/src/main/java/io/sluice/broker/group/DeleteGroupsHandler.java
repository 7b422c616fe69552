package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import java.util.List;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.DeleteGroupsRequest;
import org.apache.kafka.common.requests.DeleteGroupsResponse;

/** DeleteGroups: those without members, with their offsets. */
final class DeleteGroupsHandler implements ApiHandler<DeleteGroupsRequest> {
    private final GroupPort groups;

    DeleteGroupsHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DELETE_GROUPS;
    }

    @Override
    public void handle(Call<DeleteGroupsRequest> call) {
        List<String> groupIds =
                call.request().data().groupsNames().stream().distinct().toList();
        GroupCalls.answer(
                call,
                groups.deleteGroups(GroupCalls.caller(call), groupIds),
                results -> new DeleteGroupsResponse(new DeleteGroupsResponseData().setResults(results)));
    }
}
