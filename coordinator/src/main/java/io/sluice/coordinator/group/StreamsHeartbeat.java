package io.sluice.coordinator.group;

import java.util.List;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;

/**
 * What a heartbeat of a streams group comes to (KIP-1071).
 *
 * @param answer for the member
 * @param missingTopics internal topics that the group's topology needs and that are not there: whoever asked is to create
 *     them; the answer's status names them
 */
public record StreamsHeartbeat(StreamsGroupHeartbeatResponseData answer, List<CreatableTopic> missingTopics) {
    /** Copies the list. */
    public StreamsHeartbeat {
        missingTopics = List.copyOf(missingTopics);
    }
}
