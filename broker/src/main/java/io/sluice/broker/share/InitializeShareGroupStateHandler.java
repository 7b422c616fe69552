package io.sluice.broker.share;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.share.ShareStatePort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.InitializeShareGroupStateRequest;
import org.apache.kafka.common.requests.InitializeShareGroupStateResponse;

/** InitializeShareGroupState (KIP-932), which brokers ask each other. */
final class InitializeShareGroupStateHandler implements ApiHandler<InitializeShareGroupStateRequest> {
    private final ShareStatePort state;

    InitializeShareGroupStateHandler(ShareStatePort state) {
        this.state = state;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.INITIALIZE_SHARE_GROUP_STATE;
    }

    @Override
    public void handle(Call<InitializeShareGroupStateRequest> call) {
        AsyncAnswer.give(
                call, state.initialize(call.request().data()).thenApply(InitializeShareGroupStateResponse::new));
    }
}
