package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import java.util.List;
import org.apache.kafka.common.message.StreamsGroupDescribeRequestData;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.StreamsGroupDescribeRequest;
import org.apache.kafka.common.requests.StreamsGroupDescribeResponse;

/** StreamsGroupDescribe (KIP-1071). */
final class StreamsGroupDescribeHandler implements ApiHandler<StreamsGroupDescribeRequest> {
    private final GroupPort groups;

    StreamsGroupDescribeHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.STREAMS_GROUP_DESCRIBE;
    }

    @Override
    public void handle(Call<StreamsGroupDescribeRequest> call) {
        StreamsGroupDescribeRequestData request = call.request().data();
        GroupCalls.answer(
                call,
                groups.streamsGroupDescribe(
                        GroupCalls.caller(call), request.groupIds(), request.includeTopologyDescription()),
                described -> response(request, described));
    }

    private static StreamsGroupDescribeResponse response(
            StreamsGroupDescribeRequestData request, List<DescribedGroup> described) {
        if (request.includeAuthorizedOperations()) {
            described.stream()
                    .filter(group -> group.errorCode() == Errors.NONE.code())
                    .forEach(group -> group.setAuthorizedOperations(GroupCalls.ALL_OPERATIONS));
        }
        return new StreamsGroupDescribeResponse(new StreamsGroupDescribeResponseData().setGroups(described));
    }
}
