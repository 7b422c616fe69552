package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.topic.StreamsTopicCreation;
import io.sluice.coordinator.group.GroupPort;
import java.util.List;

/** The handlers of streams groups (KIP-1071), to be registered. */
public final class StreamsGroupHandlers {
    private StreamsGroupHandlers() {}

    /**
     * The handlers, in the order of their API keys.
     *
     * @param topics creates the internal topics that groups need
     */
    public static List<ApiHandler<?>> all(GroupPort groups, StreamsTopicCreation topics) {
        return List.of(
                new StreamsGroupHeartbeatHandler(groups, topics),
                new StreamsGroupDescribeHandler(groups),
                new StreamsTopologyDescriptionHandler(groups));
    }
}
