package io.sluice.broker.replica;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData.PartitionResult;
import org.apache.kafka.common.message.ElectLeadersResponseData.ReplicaElectionResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ElectLeadersRequest;
import org.apache.kafka.common.requests.ElectLeadersResponse;

/**
 * ElectLeaders (KIP-183, KIP-460): a partition's only copy is its leader, so ELECTION_NOT_NEEDED. Of all partitions together
 * only those are told that an election changed: none of any topic.
 */
public final class ElectLeadersHandler implements ApiHandler<ElectLeadersRequest> {
    private final ClusterImageSource images;

    /** Answers from the image of the moment. */
    public ElectLeadersHandler(ClusterImageSource images) {
        this.images = images;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.ELECT_LEADERS;
    }

    @Override
    public void handle(Call<ElectLeadersRequest> call) {
        ElectLeadersRequestData request = call.request().data();
        List<ReplicaElectionResult> results = new ArrayList<>();
        ClusterImage image = images.current();
        if (request.topicPartitions() == null) {
            image.topics().forEach(topic -> results.add(new ReplicaElectionResult().setTopic(topic.name())));
        } else {
            request.topicPartitions().forEach(topic -> results.add(elect(image, topic)));
        }
        call.respond(new ElectLeadersResponse(
                0, Errors.NONE.code(), results, call.header().apiVersion()));
    }

    private static ReplicaElectionResult elect(ClusterImage image, TopicPartitions topic) {
        TopicImage known = image.topic(topic.topic());
        ReplicaElectionResult result = new ReplicaElectionResult().setTopic(topic.topic());
        for (int partition : topic.partitions()) {
            boolean exists = known != null && known.hasPartition(partition);
            Errors error = exists ? Errors.ELECTION_NOT_NEEDED : Errors.UNKNOWN_TOPIC_OR_PARTITION;
            result.partitionResult()
                    .add(new PartitionResult()
                            .setPartitionId(partition)
                            .setErrorCode(error.code())
                            .setErrorMessage(
                                    exists ? "the only copy leads already" : "there is no such topic or partition"));
        }
        return result;
    }
}
