package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import java.util.List;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeGroupsRequest;
import org.apache.kafka.common.requests.DescribeGroupsResponse;

/** DescribeGroups, for classic groups. */
final class DescribeGroupsHandler implements ApiHandler<DescribeGroupsRequest> {
    private static final short FIRST_VERSION_WITH_OPERATIONS = 3;

    private final GroupPort groups;

    DescribeGroupsHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DESCRIBE_GROUPS;
    }

    @Override
    public void handle(Call<DescribeGroupsRequest> call) {
        GroupCalls.answer(
                call,
                groups.describeGroups(
                        GroupCalls.caller(call), call.request().data().groups()),
                described -> response(call, described));
    }

    private static DescribeGroupsResponse response(Call<DescribeGroupsRequest> call, List<DescribedGroup> described) {
        if (call.header().apiVersion() >= FIRST_VERSION_WITH_OPERATIONS
                && call.request().data().includeAuthorizedOperations()) {
            described.stream()
                    .filter(group -> group.errorCode() == Errors.NONE.code())
                    .forEach(group -> group.setAuthorizedOperations(GroupCalls.ALL_OPERATIONS));
        }
        return new DescribeGroupsResponse(new DescribeGroupsResponseData().setGroups(described));
    }
}
