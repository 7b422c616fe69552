package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.StreamsGroupTopologyDescriptionUpdateRequest;
import org.apache.kafka.common.requests.StreamsGroupTopologyDescriptionUpdateResponse;

/**
 * StreamsGroupTopologyDescriptionUpdate (KIP-1331). Kafka hands descriptions of topologies to a plug-in of the broker, and asks
 * its clients for one only where there is such a plug-in. Sluice takes none, and answers as a Kafka without one does:
 * UNSUPPORTED_VERSION.
 */
final class StreamsTopologyDescriptionHandler implements ApiHandler<StreamsGroupTopologyDescriptionUpdateRequest> {
    private final GroupPort groups;

    StreamsTopologyDescriptionHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE;
    }

    @Override
    public void handle(Call<StreamsGroupTopologyDescriptionUpdateRequest> call) {
        GroupCalls.answer(
                call,
                groups.updateStreamsTopologyDescription(
                        GroupCalls.caller(call), call.request().data()),
                StreamsGroupTopologyDescriptionUpdateResponse::new);
    }
}
