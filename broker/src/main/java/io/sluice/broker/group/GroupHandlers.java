package io.sluice.broker.group;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.broker.api.ApiHandler;
import io.sluice.coordinator.group.GroupPort;
import io.sluice.coordinator.share.ShareStatePort;
import io.sluice.coordinator.transaction.TransactionPort;
import java.util.List;

/** All handlers of groups and offsets, to be registered. */
public final class GroupHandlers {
    private GroupHandlers() {}

    /**
     * The handlers, in the order of their API keys.
     *
     * @param transactions located by the same API as groups
     * @param shares located by it too
     */
    public static List<ApiHandler<?>> all(
            GroupPort groups,
            TransactionPort transactions,
            ShareStatePort shares,
            ClusterImageSource images,
            NodeEndpoints endpoints) {
        return List.of(
                new OffsetCommitHandler(groups, images),
                new OffsetFetchHandler(groups, images),
                new FindCoordinatorHandler(groups, transactions, shares, endpoints),
                new JoinGroupHandler(groups),
                new HeartbeatHandler(groups),
                new LeaveGroupHandler(groups),
                new SyncGroupHandler(groups),
                new DescribeGroupsHandler(groups),
                new ListGroupsHandler(groups),
                new DeleteGroupsHandler(groups),
                new TxnOffsetCommitHandler(groups, images),
                new OffsetDeleteHandler(groups, images),
                new ConsumerGroupHeartbeatHandler(groups),
                new ConsumerGroupDescribeHandler(groups));
    }
}
