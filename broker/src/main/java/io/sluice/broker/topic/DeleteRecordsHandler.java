package io.sluice.broker.topic;

import io.sluice.base.concurrent.StageList;
import io.sluice.base.concurrent.TimeLimit;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.TopicErrors;
import io.sluice.protocol.frame.Placed;
import io.sluice.storage.config.DynamicConfigs;
import io.sluice.storage.config.TopicConfig;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.OffsetOutOfRangeException;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DeleteRecordsRequest;
import org.apache.kafka.common.requests.DeleteRecordsResponse;
import org.jspecify.annotations.Nullable;

/** DeleteRecords: moves the start of logs up. */
public final class DeleteRecordsHandler implements ApiHandler<DeleteRecordsRequest> {
    private static final long TO_THE_END = -1;
    private static final long NO_OFFSET = -1;

    private final ClusterImageSource images;
    private final PartitionLogStore logs;
    private final DynamicConfigs configs;
    private final TimeLimit timeLimit;

    /** Trims the logs of the store. */
    public DeleteRecordsHandler(
            ClusterImageSource images, PartitionLogStore logs, DynamicConfigs configs, TimeLimit timeLimit) {
        this.images = images;
        this.logs = logs;
        this.configs = configs;
        this.timeLimit = timeLimit;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DELETE_RECORDS;
    }

    @Override
    public void handle(Call<DeleteRecordsRequest> call) {
        long limitNanos =
                TimeUnit.MILLISECONDS.toNanos(Math.max(1, call.request().data().timeoutMs()));
        List<CompletionStage<DeleteRecordsTopicResult>> results = new ArrayList<>();
        for (DeleteRecordsTopic topic : call.request().data().topics()) {
            TopicImage image = images.current().topic(topic.name());
            List<CompletionStage<DeleteRecordsPartitionResult>> partitions = new ArrayList<>();
            for (DeleteRecordsPartition partition : topic.partitions()) {
                partitions.add(delete(topic.name(), image, partition, limitNanos));
            }
            results.add(StageList.all(partitions).thenApply(done -> result(topic.name(), done)));
        }
        AsyncAnswer.give(call, StageList.all(results).thenApply(DeleteRecordsHandler::response));
    }

    private CompletionStage<DeleteRecordsPartitionResult> delete(
            String name, @Nullable TopicImage topic, DeleteRecordsPartition partition, long limitNanos) {
        int index = partition.partitionIndex();
        Errors refusal = refusal(name, topic, partition);
        if (refusal != null || topic == null) {
            Errors error = refusal == null ? Errors.UNKNOWN_TOPIC_OR_PARTITION : refusal;
            return CompletableFuture.completedFuture(result(index, error, NO_OFFSET));
        }
        PartitionLog log = logs.find(topic.partitionId(index));
        if (log == null || log.state() != LogState.SERVING) {
            return CompletableFuture.completedFuture(result(index, Errors.NOT_LEADER_OR_FOLLOWER, NO_OFFSET));
        }
        return timeLimit
                .apply(log.trim(partition.offset()), limitNanos, "deleting records of " + name + "-" + index)
                .handle((start, cause) ->
                        cause == null ? result(index, Errors.NONE, start) : result(index, error(cause), NO_OFFSET));
    }

    private @Nullable Errors refusal(String name, @Nullable TopicImage topic, DeleteRecordsPartition partition) {
        if (TopicNames.isInternal(name)) {
            return Errors.INVALID_TOPIC_EXCEPTION;
        }
        if (topic == null || !topic.hasPartition(partition.partitionIndex())) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        TopicConfig config = configs.current().topicDefaults().effectiveConfig(false, topic.configs());
        if (config.compacted() && !config.deletedByRetention()) {
            return Errors.POLICY_VIOLATION;
        }
        return partition.offset() < TO_THE_END ? Errors.OFFSET_OUT_OF_RANGE : null;
    }

    private static Errors error(Throwable cause) {
        return AsyncAnswer.unwrap(cause) instanceof OffsetOutOfRangeException
                ? Errors.OFFSET_OUT_OF_RANGE
                : TopicErrors.of(cause).error();
    }

    private static DeleteRecordsPartitionResult result(int index, Errors error, long lowWatermark) {
        return new Placed.TrimmedPartition()
                .setPartitionIndex(index)
                .setErrorCode(error.code())
                .setLowWatermark(lowWatermark);
    }

    private static DeleteRecordsTopicResult result(String name, List<DeleteRecordsPartitionResult> partitions) {
        DeleteRecordsTopicResult result = new Placed.TrimmedTopic().setName(name);
        partitions.forEach(partition -> Placed.add(result.partitions(), partition));
        return result;
    }

    private static DeleteRecordsResponse response(List<DeleteRecordsTopicResult> topics) {
        DeleteRecordsResponseData data = new DeleteRecordsResponseData();
        topics.forEach(topic -> Placed.add(data.topics(), topic));
        return new DeleteRecordsResponse(data);
    }
}
