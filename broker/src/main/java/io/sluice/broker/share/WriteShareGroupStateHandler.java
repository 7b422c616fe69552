package io.sluice.broker.share;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.share.ShareStatePort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.WriteShareGroupStateRequest;
import org.apache.kafka.common.requests.WriteShareGroupStateResponse;

/** WriteShareGroupState (KIP-932), which brokers ask each other. */
final class WriteShareGroupStateHandler implements ApiHandler<WriteShareGroupStateRequest> {
    private final ShareStatePort state;

    WriteShareGroupStateHandler(ShareStatePort state) {
        this.state = state;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.WRITE_SHARE_GROUP_STATE;
    }

    @Override
    public void handle(Call<WriteShareGroupStateRequest> call) {
        AsyncAnswer.give(call, state.write(call.request().data()).thenApply(WriteShareGroupStateResponse::new));
    }
}
