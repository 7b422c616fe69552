package io.sluice.broker.replica;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ListPartitionReassignmentsRequest;
import org.apache.kafka.common.requests.ListPartitionReassignmentsResponse;

/** ListPartitionReassignments (KIP-455): partitions do not move between copies here, so none is being moved. */
public final class ListPartitionReassignmentsHandler implements ApiHandler<ListPartitionReassignmentsRequest> {
    @Override
    public ApiKeys api() {
        return ApiKeys.LIST_PARTITION_REASSIGNMENTS;
    }

    @Override
    public void handle(Call<ListPartitionReassignmentsRequest> call) {
        call.respond(new ListPartitionReassignmentsResponse(
                new ListPartitionReassignmentsResponseData().setErrorMessage(null)));
    }
}
