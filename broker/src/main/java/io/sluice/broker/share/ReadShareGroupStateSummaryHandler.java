package io.sluice.broker.share;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.share.ShareStatePort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ReadShareGroupStateSummaryRequest;
import org.apache.kafka.common.requests.ReadShareGroupStateSummaryResponse;

/** ReadShareGroupStateSummary (KIP-932), which brokers ask each other. */
final class ReadShareGroupStateSummaryHandler implements ApiHandler<ReadShareGroupStateSummaryRequest> {
    private final ShareStatePort state;

    ReadShareGroupStateSummaryHandler(ShareStatePort state) {
        this.state = state;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.READ_SHARE_GROUP_STATE_SUMMARY;
    }

    @Override
    public void handle(Call<ReadShareGroupStateSummaryRequest> call) {
        AsyncAnswer.give(
                call, state.readSummary(call.request().data()).thenApply(ReadShareGroupStateSummaryResponse::new));
    }
}
