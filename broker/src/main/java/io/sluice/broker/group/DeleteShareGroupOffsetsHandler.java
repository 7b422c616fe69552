package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.DeleteShareGroupOffsetsRequest;
import org.apache.kafka.common.requests.DeleteShareGroupOffsetsResponse;

/** DeleteShareGroupOffsets (KIP-932): of topics that a group without members has read. */
final class DeleteShareGroupOffsetsHandler implements ApiHandler<DeleteShareGroupOffsetsRequest> {
    private final GroupPort groups;

    DeleteShareGroupOffsetsHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DELETE_SHARE_GROUP_OFFSETS;
    }

    @Override
    public void handle(Call<DeleteShareGroupOffsetsRequest> call) {
        GroupCalls.answer(
                call,
                groups.deleteShareGroupOffsets(
                        GroupCalls.caller(call), call.request().data()),
                DeleteShareGroupOffsetsResponse::new);
    }
}
