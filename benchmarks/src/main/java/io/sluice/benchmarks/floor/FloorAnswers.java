package io.sluice.benchmarks.floor;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.CreateTopicsResponse;
import org.apache.kafka.common.requests.InitProducerIdResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;

/** The fewest answers with which a stock producer sends: topics exist when asked for, offsets only grow. */
final class FloorAnswers {
    private static final int DEFAULT_PARTITIONS = 16;
    private static final short NEWEST_PRODUCE_WITH_NAMES = 12;

    private final int port;
    private final Map<String, Integer> partitionsByTopic = new ConcurrentHashMap<>();
    private final AtomicLong nextProducerId = new AtomicLong();
    private final AtomicLong nextOffset = new AtomicLong();

    FloorAnswers(int port) {
        this.port = port;
    }

    AbstractResponse to(AbstractRequest request) {
        return switch (request.apiKey()) {
            case API_VERSIONS -> apiVersions();
            case METADATA -> metadata((MetadataRequest) request);
            case CREATE_TOPICS -> createTopics((CreateTopicsRequest) request);
            case INIT_PRODUCER_ID ->
                new InitProducerIdResponse(
                        new InitProducerIdResponseData().setProducerId(nextProducerId.getAndIncrement()));
            case PRODUCE -> produce((ProduceRequest) request);
            default -> throw new UnsupportedVersionException("the floor does not serve " + request.apiKey());
        };
    }

    private static AbstractResponse apiVersions() {
        ApiVersionsResponseData data = new ApiVersionsResponseData();
        for (ApiKeys key :
                List.of(ApiKeys.API_VERSIONS, ApiKeys.METADATA, ApiKeys.CREATE_TOPICS, ApiKeys.INIT_PRODUCER_ID)) {
            data.apiKeys().add(version(key, key.latestVersion(false)));
        }
        data.apiKeys().add(version(ApiKeys.PRODUCE, NEWEST_PRODUCE_WITH_NAMES));
        return new ApiVersionsResponse(data);
    }

    private static ApiVersionsResponseData.ApiVersion version(ApiKeys key, short newest) {
        return new ApiVersionsResponseData.ApiVersion()
                .setApiKey(key.id)
                .setMinVersion(key.oldestVersion())
                .setMaxVersion(newest);
    }

    private AbstractResponse metadata(MetadataRequest request) {
        MetadataResponseData data =
                new MetadataResponseData().setControllerId(1).setClusterId("floor");
        data.brokers()
                .add(new MetadataResponseData.MetadataResponseBroker()
                        .setNodeId(1)
                        .setHost("127.0.0.1")
                        .setPort(port));
        List<String> topics = request.topics();
        if (topics != null) {
            topics.forEach(topic -> data.topics().add(topic(topic)));
        }
        return new MetadataResponse(data, request.version());
    }

    private MetadataResponseData.MetadataResponseTopic topic(String name) {
        var topic =
                new MetadataResponseData.MetadataResponseTopic().setName(name).setTopicId(new Uuid(name.hashCode(), 1));
        int partitions = partitionsByTopic.computeIfAbsent(name, unknown -> DEFAULT_PARTITIONS);
        for (int p = 0; p < partitions; p++) {
            topic.partitions()
                    .add(new MetadataResponseData.MetadataResponsePartition()
                            .setPartitionIndex(p)
                            .setLeaderId(1)
                            .setLeaderEpoch(0)
                            .setReplicaNodes(List.of(1))
                            .setIsrNodes(List.of(1)));
        }
        return topic;
    }

    private AbstractResponse createTopics(CreateTopicsRequest request) {
        CreateTopicsResponseData data = new CreateTopicsResponseData();
        request.data().topics().forEach(topic -> {
            partitionsByTopic.put(topic.name(), topic.numPartitions());
            data.topics()
                    .add(new CreateTopicsResponseData.CreatableTopicResult()
                            .setName(topic.name())
                            .setTopicId(new Uuid(topic.name().hashCode(), 1))
                            .setNumPartitions(topic.numPartitions())
                            .setReplicationFactor((short) 1));
        });
        return new CreateTopicsResponse(data);
    }

    private AbstractResponse produce(ProduceRequest request) {
        ProduceResponseData data = new ProduceResponseData();
        for (ProduceRequestData.TopicProduceData topic : request.data().topicData()) {
            var answered = new ProduceResponseData.TopicProduceResponse().setName(topic.name());
            topic.partitionData()
                    .forEach(partition -> answered.partitionResponses()
                            .add(new ProduceResponseData.PartitionProduceResponse()
                                    .setIndex(partition.index())
                                    .setBaseOffset(nextOffset.getAndAdd(1 << 10))));
            data.responses().add(answered);
        }
        return new ProduceResponse(data);
    }
}
