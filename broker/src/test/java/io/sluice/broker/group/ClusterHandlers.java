package io.sluice.broker.group;

import io.sluice.base.metadata.TopicImage;
import io.sluice.base.time.Scheduler;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.coordinator.runtime.InMemoryCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;

/** As much of a broker around the group handlers as real consumers need: topics of a cluster in memory, all of them empty. */
final class ClusterHandlers {
    private ClusterHandlers() {}

    static List<ApiHandler<?>> all(InMemoryCluster cluster, IntSupplier port, Scheduler scheduler) {
        return List.of(new Metadata(cluster, port), new ListOffsets(), new Fetch(scheduler));
    }

    private record Metadata(InMemoryCluster cluster, IntSupplier port) implements ApiHandler<MetadataRequest> {
        @Override
        public ApiKeys api() {
            return ApiKeys.METADATA;
        }

        @Override
        public void handle(Call<MetadataRequest> call) {
            MetadataResponseData data = new MetadataResponseData()
                    .setClusterId(cluster.current().clusterId())
                    .setControllerId(1);
            data.brokers()
                    .add(new MetadataResponseBroker()
                            .setNodeId(InMemoryCluster.NODE_ID)
                            .setHost("127.0.0.1")
                            .setPort(port.getAsInt()));
            if (call.request().isAllTopics()) {
                cluster.current().topics().forEach(topic -> data.topics().add(known(topic)));
            } else {
                call.request().data().topics().forEach(topic -> data.topics().add(described(topic)));
            }
            call.respond(new MetadataResponse(data, call.header().apiVersion()));
        }

        private MetadataResponseTopic described(MetadataRequestTopic wanted) {
            boolean byId = !wanted.topicId().equals(Uuid.ZERO_UUID);
            TopicImage topic =
                    new TopicNames(cluster.current(), byId).find(byId ? "" : wanted.name(), wanted.topicId());
            return topic != null
                    ? known(topic)
                    : new MetadataResponseTopic()
                            .setName(wanted.name())
                            .setTopicId(wanted.topicId())
                            .setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        }

        private static MetadataResponseTopic known(TopicImage topic) {
            return new MetadataResponseTopic()
                    .setName(topic.name())
                    .setTopicId(KafkaIds.toUuid(topic.id()))
                    .setPartitions(IntStream.range(0, topic.partitions().size())
                            .mapToObj(partition -> new MetadataResponsePartition()
                                    .setPartitionIndex(partition)
                                    .setLeaderId(InMemoryCluster.NODE_ID)
                                    .setLeaderEpoch(0)
                                    .setReplicaNodes(List.of(InMemoryCluster.NODE_ID))
                                    .setIsrNodes(List.of(InMemoryCluster.NODE_ID)))
                            .toList());
        }
    }

    private record ListOffsets() implements ApiHandler<ListOffsetsRequest> {
        @Override
        public ApiKeys api() {
            return ApiKeys.LIST_OFFSETS;
        }

        @Override
        public void handle(Call<ListOffsetsRequest> call) {
            List<ListOffsetsTopicResponse> topics = new ArrayList<>();
            call.request()
                    .topics()
                    .forEach(topic -> topics.add(new ListOffsetsTopicResponse()
                            .setName(topic.name())
                            .setPartitions(topic.partitions().stream()
                                    .map(partition -> new ListOffsetsPartitionResponse()
                                            .setPartitionIndex(partition.partitionIndex())
                                            .setOffset(0)
                                            .setLeaderEpoch(0))
                                    .toList())));
            call.respond(new ListOffsetsResponse(new ListOffsetsResponseData().setTopics(topics)));
        }
    }

    private record Fetch(Scheduler scheduler) implements ApiHandler<FetchRequest> {
        private static final int MAX_WAIT_MILLIS = 50;

        @Override
        public ApiKeys api() {
            return ApiKeys.FETCH;
        }

        @Override
        public void handle(Call<FetchRequest> call) {
            scheduler.schedule(
                    () -> call.respond(FetchResponse.of(new FetchResponseData())),
                    TimeUnit.MILLISECONDS.toNanos(
                            Math.min(MAX_WAIT_MILLIS, call.request().maxWait())),
                    call.executor());
        }
    }
}
