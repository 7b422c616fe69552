package io.sluice.broker.group;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.broker.api.ApiHandler;
import io.sluice.coordinator.group.GroupPort;
import java.util.List;

/** The handlers of share groups' members and offsets (KIP-932), to be registered with those of their records. */
public final class ShareGroupHandlers {
    private ShareGroupHandlers() {}

    /** The handlers, in the order of their API keys. */
    public static List<ApiHandler<?>> all(GroupPort groups, ClusterImageSource images) {
        return List.of(
                new ShareGroupHeartbeatHandler(groups),
                new ShareGroupDescribeHandler(groups),
                new DescribeShareGroupOffsetsHandler(groups),
                new AlterShareGroupOffsetsHandler(groups, images),
                new DeleteShareGroupOffsetsHandler(groups));
    }
}
