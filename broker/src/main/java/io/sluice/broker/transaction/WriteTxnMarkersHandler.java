package io.sluice.broker.transaction;

import io.sluice.base.concurrent.StageList;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.runtime.TransactionEnd;
import io.sluice.coordinator.transaction.TransactionMarkers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerPartitionResult;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerResult;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData.WritableTxnMarkerTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.WriteTxnMarkersRequest;
import org.apache.kafka.common.requests.WriteTxnMarkersResponse;

/** WriteTxnMarkers: markers that another coordinator, or an administrator who ends a hanging transaction (KIP-664), sends. */
public final class WriteTxnMarkersHandler implements ApiHandler<WriteTxnMarkersRequest> {
    private final TransactionMarkers markers;

    /** Writes by these. */
    public WriteTxnMarkersHandler(TransactionMarkers markers) {
        this.markers = markers;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.WRITE_TXN_MARKERS;
    }

    @Override
    public void handle(Call<WriteTxnMarkersRequest> call) {
        List<CompletionStage<WritableTxnMarkerResult>> results =
                call.request().data().markers().stream().map(this::write).toList();
        AsyncAnswer.give(
                call,
                StageList.all(results)
                        .thenApply(done ->
                                new WriteTxnMarkersResponse(new WriteTxnMarkersResponseData().setMarkers(done))));
    }

    private CompletionStage<WritableTxnMarkerResult> write(WritableTxnMarker marker) {
        TransactionEnd end = new TransactionEnd(
                marker.producerId(),
                marker.producerEpoch(),
                marker.coordinatorEpoch(),
                marker.transactionResult(),
                marker.transactionVersion());
        List<CompletionStage<WritableTxnMarkerTopicResult>> topics =
                marker.topics().stream().map(topic -> write(end, topic)).toList();
        return StageList.all(topics)
                .thenApply(done -> new WritableTxnMarkerResult()
                        .setProducerId(marker.producerId())
                        .setTopics(done));
    }

    private CompletionStage<WritableTxnMarkerTopicResult> write(TransactionEnd end, WritableTxnMarkerTopic topic) {
        List<CompletionStage<WritableTxnMarkerPartitionResult>> partitions = new ArrayList<>();
        for (int partition : topic.partitionIndexes()) {
            partitions.add(markers.write(end, new TopicPartition(topic.name(), partition))
                    .thenApply(error -> new WritableTxnMarkerPartitionResult()
                            .setPartitionIndex(partition)
                            .setErrorCode(told(error).code())));
        }
        return StageList.all(partitions)
                .thenApply(done ->
                        new WritableTxnMarkerTopicResult().setName(topic.name()).setPartitions(done));
    }

    /** Kafka has one answer for what our coordinator tells apart. */
    private static Errors told(Errors error) {
        return error == Errors.INVALID_TXN_STATE ? Errors.INVALID_PRODUCER_EPOCH : error;
    }
}
