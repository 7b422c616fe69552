package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsRequestData.DescribeShareGroupOffsetsRequestGroup;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsResponseData;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsResponseData.DescribeShareGroupOffsetsResponseGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.DescribeShareGroupOffsetsRequest;
import org.apache.kafka.common.requests.DescribeShareGroupOffsetsResponse;

/** DescribeShareGroupOffsets (KIP-932): where groups begin in partitions, and how far behind they are (KIP-1226). */
final class DescribeShareGroupOffsetsHandler implements ApiHandler<DescribeShareGroupOffsetsRequest> {
    private final GroupPort groups;

    DescribeShareGroupOffsetsHandler(GroupPort groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DESCRIBE_SHARE_GROUP_OFFSETS;
    }

    @Override
    public void handle(Call<DescribeShareGroupOffsetsRequest> call) {
        List<CompletableFuture<DescribeShareGroupOffsetsResponseGroup>> described =
                call.request().data().groups().stream()
                        .map(group -> describe(call, group))
                        .toList();
        GroupCalls.answer(
                call,
                CompletableFuture.allOf(described.toArray(CompletableFuture<?>[]::new)),
                done -> new DescribeShareGroupOffsetsResponse(new DescribeShareGroupOffsetsResponseData()
                        .setGroups(
                                described.stream().map(CompletableFuture::join).toList())));
    }

    private CompletableFuture<DescribeShareGroupOffsetsResponseGroup> describe(
            Call<DescribeShareGroupOffsetsRequest> call, DescribeShareGroupOffsetsRequestGroup group) {
        return groups.describeShareGroupOffsets(GroupCalls.caller(call), group)
                .exceptionally(failure -> DescribeShareGroupOffsetsRequest.getErrorDescribedGroup(
                        group.groupId(), GroupCalls.error(failure)))
                .toCompletableFuture();
    }
}
