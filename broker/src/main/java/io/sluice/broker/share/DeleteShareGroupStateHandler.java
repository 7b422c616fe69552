package io.sluice.broker.share;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.share.ShareStatePort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.DeleteShareGroupStateRequest;
import org.apache.kafka.common.requests.DeleteShareGroupStateResponse;

/** DeleteShareGroupState (KIP-932), which brokers ask each other. */
final class DeleteShareGroupStateHandler implements ApiHandler<DeleteShareGroupStateRequest> {
    private final ShareStatePort state;

    DeleteShareGroupStateHandler(ShareStatePort state) {
        this.state = state;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DELETE_SHARE_GROUP_STATE;
    }

    @Override
    public void handle(Call<DeleteShareGroupStateRequest> call) {
        AsyncAnswer.give(call, state.delete(call.request().data()).thenApply(DeleteShareGroupStateResponse::new));
    }
}
