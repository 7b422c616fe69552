package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatResponse;

/** ConsumerGroupHeartbeat (KIP-848): joins, leaves, acknowledges and learns assignments. */
final class ConsumerGroupHeartbeatHandler implements ApiHandler<ConsumerGroupHeartbeatRequest> {
    private final GroupPort groups;

    ConsumerGroupHeartbeatHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.CONSUMER_GROUP_HEARTBEAT;
    }

    @Override
    public void handle(Call<ConsumerGroupHeartbeatRequest> call) {
        GroupCalls.answer(
                call,
                groups.consumerGroupHeartbeat(
                        GroupCalls.caller(call), call.request().data()),
                ConsumerGroupHeartbeatResponse::new);
    }
}
