package io.sluice.broker.metadata;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.base.ownership.Ownership;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.protocol.frame.Placed;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeTopicPartitionsRequest;
import org.apache.kafka.common.requests.DescribeTopicPartitionsResponse;

/** DescribeTopicPartitions (KIP-966): topics in the order of their names, a bounded number of partitions at a time. */
public final class DescribeTopicPartitionsHandler implements ApiHandler<DescribeTopicPartitionsRequest> {
    private final ClusterImageSource images;
    private final Ownership ownership;
    private final BrokerDirectory brokers;
    private final int maxPartitions;

    /**
     * Answers from the images.
     *
     * @param maxPartitions most partitions in one answer, whatever the request asks for
     */
    public DescribeTopicPartitionsHandler(
            ClusterImageSource images, Ownership ownership, BrokerDirectory brokers, int maxPartitions) {
        this.images = images;
        this.ownership = ownership;
        this.brokers = brokers;
        this.maxPartitions = maxPartitions;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DESCRIBE_TOPIC_PARTITIONS;
    }

    @Override
    public void handle(Call<DescribeTopicPartitionsRequest> call) {
        DescribeTopicPartitionsRequestData request = call.request().data();
        if (!isCursorValid(request)) {
            call.respond(refused(request));
            return;
        }
        MetadataView view = new MetadataView(
                images.current(),
                brokers.brokers(),
                ownership,
                call.connection().listenerName());
        call.respond(new DescribeTopicPartitionsResponse(describe(view, request)));
    }

    /** Says of every topic that the request is invalid: it has no room for a reason. */
    private static DescribeTopicPartitionsResponse refused(DescribeTopicPartitionsRequestData request) {
        DescribeTopicPartitionsResponseData data = new DescribeTopicPartitionsResponseData();
        for (DescribeTopicPartitionsRequestData.TopicRequest topic : request.topics()) {
            Placed.add(
                    data.topics(),
                    new Placed.TopicDescription().setName(topic.name()).setErrorCode(Errors.INVALID_REQUEST.code()));
        }
        return new DescribeTopicPartitionsResponse(data);
    }

    /** One with a partition, and with a topic that is asked for. */
    private static boolean isCursorValid(DescribeTopicPartitionsRequestData request) {
        DescribeTopicPartitionsRequestData.Cursor cursor = request.cursor();
        if (cursor == null || request.topics().isEmpty()) {
            return cursor == null || cursor.partitionIndex() >= 0;
        }
        return cursor.partitionIndex() >= 0
                && request.topics().stream().anyMatch(topic -> topic.name().equals(cursor.topicName()));
    }

    private DescribeTopicPartitionsResponseData describe(
            MetadataView view, DescribeTopicPartitionsRequestData request) {
        DescribeTopicPartitionsRequestData.Cursor cursor = request.cursor();
        String from = cursor == null ? "" : cursor.topicName();
        boolean all = request.topics().isEmpty();
        DescribeTopicPartitionsResponseData data = new DescribeTopicPartitionsResponseData();
        int left = Math.max(1, Math.min(maxPartitions, request.responsePartitionLimit()));
        for (String name : names(view.image(), request, from)) {
            TopicImage topic = view.image().topic(name);
            if (topic == null) {
                addUnknown(data, name, all);
                continue;
            }
            int first = name.equals(from) && cursor != null ? cursor.partitionIndex() : 0;
            if (left == 0) {
                return data.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(0));
            }
            int end = Math.min(topic.partitions().size(), first + left);
            Placed.add(data.topics(), describe(view.topic(topic, AuthorizedOperations.TOPIC), first, end));
            left -= Math.max(0, end - first);
            if (end < topic.partitions().size()) {
                return data.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(end));
            }
        }
        return data;
    }

    private static NavigableSet<String> names(
            ClusterImage image, DescribeTopicPartitionsRequestData request, String from) {
        NavigableSet<String> names = new TreeSet<>();
        if (request.topics().isEmpty()) {
            image.topics().forEach(topic -> names.add(topic.name()));
        } else {
            request.topics().forEach(topic -> names.add(topic.name()));
        }
        return names.tailSet(from, true);
    }

    private static void addUnknown(DescribeTopicPartitionsResponseData data, String name, boolean all) {
        if (!all) {
            boolean valid = TopicNames.fault(name) == null;
            Errors error = valid ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.INVALID_TOPIC_EXCEPTION;
            Placed.add(
                    data.topics(),
                    new Placed.TopicDescription()
                            .setErrorCode(error.code())
                            .setName(name)
                            .setTopicAuthorizedOperations(AuthorizedOperations.TOPIC)
                            .setIsInternal(TopicNames.isInternal(name)));
        }
    }

    private static DescribeTopicPartitionsResponseTopic describe(MetadataResponseTopic topic, int first, int end) {
        List<DescribeTopicPartitionsResponsePartition> partitions = new ArrayList<>();
        for (int i = first; i < end; i++) {
            partitions.add(describe(topic.partitions().get(i)));
        }
        return new Placed.TopicDescription()
                .setName(topic.name())
                .setTopicId(topic.topicId())
                .setIsInternal(topic.isInternal())
                .setPartitions(partitions)
                .setTopicAuthorizedOperations(topic.topicAuthorizedOperations());
    }

    private static DescribeTopicPartitionsResponsePartition describe(MetadataResponsePartition partition) {
        return new DescribeTopicPartitionsResponsePartition()
                .setErrorCode(partition.errorCode())
                .setPartitionIndex(partition.partitionIndex())
                .setLeaderId(partition.leaderId())
                .setLeaderEpoch(partition.leaderEpoch())
                .setReplicaNodes(partition.replicaNodes())
                .setIsrNodes(partition.isrNodes())
                .setEligibleLeaderReplicas(List.of())
                .setLastKnownElr(List.of());
    }
}
