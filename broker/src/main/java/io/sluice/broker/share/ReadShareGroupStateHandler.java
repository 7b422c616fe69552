package io.sluice.broker.share;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.share.ShareStatePort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ReadShareGroupStateRequest;
import org.apache.kafka.common.requests.ReadShareGroupStateResponse;

/** ReadShareGroupState (KIP-932), which brokers ask each other. */
final class ReadShareGroupStateHandler implements ApiHandler<ReadShareGroupStateRequest> {
    private final ShareStatePort state;

    ReadShareGroupStateHandler(ShareStatePort state) {
        this.state = state;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.READ_SHARE_GROUP_STATE;
    }

    @Override
    public void handle(Call<ReadShareGroupStateRequest> call) {
        AsyncAnswer.give(call, state.read(call.request().data()).thenApply(ReadShareGroupStateResponse::new));
    }
}
