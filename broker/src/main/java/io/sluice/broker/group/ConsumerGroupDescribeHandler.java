package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import java.util.List;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ConsumerGroupDescribeRequest;
import org.apache.kafka.common.requests.ConsumerGroupDescribeResponse;

/** ConsumerGroupDescribe (KIP-848). */
final class ConsumerGroupDescribeHandler implements ApiHandler<ConsumerGroupDescribeRequest> {
    private final GroupPort groups;

    ConsumerGroupDescribeHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.CONSUMER_GROUP_DESCRIBE;
    }

    @Override
    public void handle(Call<ConsumerGroupDescribeRequest> call) {
        GroupCalls.answer(
                call,
                groups.consumerGroupDescribe(
                        GroupCalls.caller(call), call.request().data().groupIds()),
                described -> response(call.request(), described));
    }

    private static ConsumerGroupDescribeResponse response(
            ConsumerGroupDescribeRequest request, List<DescribedGroup> described) {
        if (request.data().includeAuthorizedOperations()) {
            described.stream()
                    .filter(group -> group.errorCode() == Errors.NONE.code())
                    .forEach(group -> group.setAuthorizedOperations(GroupCalls.ALL_OPERATIONS));
        }
        return new ConsumerGroupDescribeResponse(new ConsumerGroupDescribeResponseData().setGroups(described));
    }
}
