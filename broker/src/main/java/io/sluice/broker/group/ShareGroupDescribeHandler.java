package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import java.util.List;
import org.apache.kafka.common.message.ShareGroupDescribeResponseData;
import org.apache.kafka.common.message.ShareGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ShareGroupDescribeRequest;
import org.apache.kafka.common.requests.ShareGroupDescribeResponse;

/** ShareGroupDescribe (KIP-932). */
final class ShareGroupDescribeHandler implements ApiHandler<ShareGroupDescribeRequest> {
    private final GroupPort groups;

    ShareGroupDescribeHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.SHARE_GROUP_DESCRIBE;
    }

    @Override
    public void handle(Call<ShareGroupDescribeRequest> call) {
        GroupCalls.answer(
                call,
                groups.shareGroupDescribe(
                        GroupCalls.caller(call), call.request().data().groupIds()),
                described -> response(call.request(), described));
    }

    private static ShareGroupDescribeResponse response(
            ShareGroupDescribeRequest request, List<DescribedGroup> described) {
        if (request.data().includeAuthorizedOperations()) {
            described.stream()
                    .filter(group -> group.errorCode() == Errors.NONE.code())
                    .forEach(group -> group.setAuthorizedOperations(GroupCalls.ALL_OPERATIONS));
        }
        return new ShareGroupDescribeResponse(new ShareGroupDescribeResponseData().setGroups(described));
    }
}
