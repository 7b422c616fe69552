package io.sluice.broker.transaction;

import io.sluice.base.id.PartitionId;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.ownership.Ownership;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import io.sluice.storage.log.ProducerSnapshot;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.DescribeProducersResponseData.TopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeProducersRequest;
import org.apache.kafka.common.requests.DescribeProducersResponse;
import org.jspecify.annotations.Nullable;

/** DescribeProducers (KIP-664): what logs know of the producers that wrote to them. */
public final class DescribeProducersHandler implements ApiHandler<DescribeProducersRequest> {
    private final ClusterImageSource images;
    private final Ownership ownership;
    private final PartitionLogStore logs;

    /** Looks into the logs of the store. */
    public DescribeProducersHandler(ClusterImageSource images, Ownership ownership, PartitionLogStore logs) {
        this.images = images;
        this.ownership = ownership;
        this.logs = logs;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DESCRIBE_PRODUCERS;
    }

    @Override
    public void handle(Call<DescribeProducersRequest> call) {
        DescribeProducersResponseData response = new DescribeProducersResponseData();
        for (TopicRequest topic : call.request().data().topics()) {
            TopicImage image = images.current().topic(topic.name());
            TopicResponse described = new TopicResponse().setName(topic.name());
            for (int partition : topic.partitionIndexes()) {
                described.partitions().add(describe(image, partition));
            }
            response.topics().add(described);
        }
        call.respond(new DescribeProducersResponse(response));
    }

    private PartitionResponse describe(@Nullable TopicImage topic, int partition) {
        PartitionResponse described = new PartitionResponse().setPartitionIndex(partition);
        if (topic == null || !topic.hasPartition(partition)) {
            return failed(described, Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        PartitionId id = topic.partitionId(partition);
        PartitionLog log = ownership.isLocal(id) ? logs.find(id) : null;
        if (log == null || log.state() != LogState.SERVING) {
            return failed(described, Errors.NOT_LEADER_OR_FOLLOWER);
        }
        log.activeProducers().forEach(producer -> described.activeProducers().add(state(producer)));
        return described;
    }

    private static PartitionResponse failed(PartitionResponse described, Errors error) {
        return described.setErrorCode(error.code()).setErrorMessage(error.message());
    }

    private static ProducerState state(ProducerSnapshot producer) {
        return new ProducerState()
                .setProducerId(producer.producerId())
                .setProducerEpoch(producer.producerEpoch())
                .setLastSequence(producer.lastSequence())
                .setLastTimestamp(producer.lastTimestamp())
                .setCoordinatorEpoch(producer.coordinatorEpoch())
                .setCurrentTxnStartOffset(producer.currentTransactionStartOffset());
    }
}
