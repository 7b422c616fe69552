package io.sluice.broker.replica;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.ownership.Ownership;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import java.util.List;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignableTopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AlterPartitionReassignmentsRequest;
import org.apache.kafka.common.requests.AlterPartitionReassignmentsResponse;
import org.jspecify.annotations.Nullable;

/** AlterPartitionReassignments (KIP-455): to where a partition is already there is nothing to move, and elsewhere is nobody. */
public final class AlterPartitionReassignmentsHandler implements ApiHandler<AlterPartitionReassignmentsRequest> {
    private final ClusterImageSource images;
    private final Ownership ownership;

    /** Answers from the image of the moment. */
    public AlterPartitionReassignmentsHandler(ClusterImageSource images, Ownership ownership) {
        this.images = images;
        this.ownership = ownership;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.ALTER_PARTITION_REASSIGNMENTS;
    }

    @Override
    public void handle(Call<AlterPartitionReassignmentsRequest> call) {
        AlterPartitionReassignmentsResponseData response = new AlterPartitionReassignmentsResponseData()
                .setAllowReplicationFactorChange(call.request().data().allowReplicationFactorChange());
        ClusterImage image = images.current();
        for (ReassignableTopic topic : call.request().data().topics()) {
            ReassignableTopicResponse answer = new ReassignableTopicResponse().setName(topic.name());
            TopicImage known = image.topic(topic.name());
            topic.partitions().forEach(partition -> answer.partitions().add(reassign(known, partition)));
            response.responses().add(answer);
        }
        call.respond(new AlterPartitionReassignmentsResponse(response));
    }

    private ReassignablePartitionResponse reassign(@Nullable TopicImage topic, ReassignablePartition partition) {
        ReassignablePartitionResponse answer =
                new ReassignablePartitionResponse().setPartitionIndex(partition.partitionIndex());
        if (topic == null || !topic.hasPartition(partition.partitionIndex())) {
            return failed(answer, Errors.UNKNOWN_TOPIC_OR_PARTITION, "there is no such topic or partition");
        }
        int owner = ownership.ownerOf(topic.partitionId(partition.partitionIndex()));
        List<Integer> replicas = partition.replicas();
        if (replicas == null) {
            return failed(answer, Errors.NO_REASSIGNMENT_IN_PROGRESS, "the partition is not being moved");
        }
        return replicas.equals(List.of(owner))
                ? answer.setErrorMessage(null)
                : failed(
                        answer,
                        Errors.INVALID_REPLICA_ASSIGNMENT,
                        "the brokers " + replicas + " were asked for; the only one is " + owner);
    }

    private static ReassignablePartitionResponse failed(
            ReassignablePartitionResponse answer, Errors error, String message) {
        return answer.setErrorCode(error.code()).setErrorMessage(message);
    }
}
