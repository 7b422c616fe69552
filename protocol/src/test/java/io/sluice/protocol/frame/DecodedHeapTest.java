package io.sluice.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.RequestUtils;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What requests with long lists take on the heap is never more than they are counted as. */
class DecodedHeapTest {
    private static final int ELEMENTS = 9_000;
    /** Of lists that may not be long. */
    private static final int FEW = 500;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * A request with long lists.
     *
     * @param name of what the lists are of
     */
    record Heavy(String name, ApiMessage body) {
        @Override
        public String toString() {
            return ApiKeys.forId(body.apiKey()).name + " of " + name;
        }
    }

    @SuppressWarnings("UnusedMethod") // by its name
    private static Stream<Heavy> heavyRequests() {
        return Stream.of(
                new Heavy("names", metadata(1)),
                new Heavy("empty names", metadata(0)),
                new Heavy("topics", fetch(ELEMENTS, 0)),
                new Heavy("partitions", fetch(ELEMENTS / 100, 100)),
                new Heavy("topics of one partition", fetch(ELEMENTS, 1)),
                new Heavy("partitions", commits()),
                new Heavy("topics", createTopics()),
                new Heavy("partitions", heartbeat()),
                new Heavy("names", new DescribeGroupsRequestData().setGroups(texts())),
                new Heavy("protocols", join()),
                new Heavy("partitions", listOffsets()),
                new Heavy("resources", describeConfigs()),
                new Heavy("changes", alterConfigs()),
                new Heavy("record sets", produce()),
                new Heavy("unknown fields", taggedFields()));
    }

    private static List<String> texts() {
        return IntStream.range(0, ELEMENTS).mapToObj(i -> "x").toList();
    }

    private static MetadataRequestData metadata(int length) {
        MetadataRequestData data = new MetadataRequestData();
        for (int i = 0; i < ELEMENTS; i++) {
            data.topics().add(new MetadataRequestData.MetadataRequestTopic().setName("x".repeat(length)));
        }
        return data;
    }

    private static FetchRequestData fetch(int topics, int partitions) {
        FetchRequestData data = new FetchRequestData();
        for (int t = 0; t < topics; t++) {
            FetchRequestData.FetchTopic topic = new FetchRequestData.FetchTopic().setTopicId(new Uuid(1, t));
            for (int p = 0; p < partitions; p++) {
                topic.partitions().add(new FetchRequestData.FetchPartition().setPartition(p));
            }
            data.topics().add(topic);
        }
        return data;
    }

    private static OffsetCommitRequestData commits() {
        OffsetCommitRequestData data = new OffsetCommitRequestData().setGroupId("g");
        for (int t = 0; t < ELEMENTS; t++) {
            data.topics()
                    .add(new OffsetCommitRequestData.OffsetCommitRequestTopic()
                            .setTopicId(new Uuid(1, t))
                            .setPartitions(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                    .setCommittedMetadata("m"))));
        }
        return data;
    }

    private static CreateTopicsRequestData createTopics() {
        CreateTopicsRequestData data = new CreateTopicsRequestData();
        for (int t = 0; t < ELEMENTS; t++) {
            CreateTopicsRequestData.CreatableTopic topic =
                    new CreateTopicsRequestData.CreatableTopic().setName("t" + t);
            topic.configs()
                    .add(new CreateTopicsRequestData.CreatableTopicConfig()
                            .setName("n")
                            .setValue("v"));
            topic.assignments()
                    .add(new CreateTopicsRequestData.CreatableReplicaAssignment().setBrokerIds(List.of(1000)));
            data.topics().add(topic);
        }
        return data;
    }

    private static ConsumerGroupHeartbeatRequestData heartbeat() {
        List<ConsumerGroupHeartbeatRequestData.TopicPartitions> owned = new ArrayList<>();
        for (int t = 0; t < ELEMENTS; t++) {
            owned.add(new ConsumerGroupHeartbeatRequestData.TopicPartitions()
                    .setTopicId(new Uuid(1, t))
                    .setPartitions(List.of(1000 + t)));
        }
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId("g")
                .setMemberId("m")
                .setSubscribedTopicNames(texts())
                .setTopicPartitions(owned);
    }

    private static JoinGroupRequestData join() {
        JoinGroupRequestData data = new JoinGroupRequestData().setGroupId("g").setProtocolType("consumer");
        for (int i = 0; i < FEW; i++) {
            data.protocols()
                    .add(new JoinGroupRequestData.JoinGroupRequestProtocol()
                            .setName("p" + i)
                            .setMetadata(new byte[0]));
        }
        return data;
    }

    private static ListOffsetsRequestData listOffsets() {
        ListOffsetsRequestData data = new ListOffsetsRequestData();
        for (int i = 0; i < ELEMENTS; i++) {
            data.topics()
                    .add(new ListOffsetsRequestData.ListOffsetsTopic()
                            .setName("x")
                            .setPartitions(List.of(new ListOffsetsRequestData.ListOffsetsPartition())));
        }
        return data;
    }

    private static DescribeConfigsRequestData describeConfigs() {
        DescribeConfigsRequestData data = new DescribeConfigsRequestData();
        for (int i = 0; i < ELEMENTS; i++) {
            data.resources()
                    .add(new DescribeConfigsRequestData.DescribeConfigsResource()
                            .setResourceName("x")
                            .setConfigurationKeys(List.of("")));
        }
        return data;
    }

    private static IncrementalAlterConfigsRequestData alterConfigs() {
        IncrementalAlterConfigsRequestData data = new IncrementalAlterConfigsRequestData();
        for (int i = 0; i < FEW; i++) {
            IncrementalAlterConfigsRequestData.AlterConfigsResource resource =
                    new IncrementalAlterConfigsRequestData.AlterConfigsResource().setResourceName("x" + i);
            resource.configs()
                    .add(new IncrementalAlterConfigsRequestData.AlterableConfig()
                            .setName("n")
                            .setValue("v"));
            data.resources().add(resource);
        }
        return data;
    }

    private static ProduceRequestData produce() {
        ProduceRequestData data = new ProduceRequestData();
        for (int t = 0; t < ELEMENTS; t++) {
            data.topicData()
                    .add(new ProduceRequestData.TopicProduceData()
                            .setTopicId(new Uuid(1, t))
                            .setPartitionData(List.of(
                                    new ProduceRequestData.PartitionProduceData().setRecords(MemoryRecords.EMPTY))));
        }
        return data;
    }

    private static MetadataRequestData taggedFields() {
        MetadataRequestData data = metadata(1);
        for (MetadataRequestData.MetadataRequestTopic topic : data.topics()) {
            topic.unknownTaggedFields().add(new RawTaggedField(77, "x".getBytes(StandardCharsets.UTF_8)));
        }
        return data;
    }

    @ParameterizedTest
    @MethodSource("heavyRequests")
    void isCountedFromAbove(Heavy heavy) throws MalformedRequestException {
        ApiKeys api = ApiKeys.forId(heavy.body().apiKey());
        short version = api.latestVersion(false);
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion(version)
                .setClientId("c");
        ByteBuffer frame = RequestUtils.serialize(header, api.requestHeaderVersion(version), heavy.body(), version);
        // Once for what is made but once.
        assertThat(RequestDecoder.decode(frame.duplicate(), api, version, Long.MAX_VALUE))
                .isNotNull();
        long before = THREADS.getCurrentThreadAllocatedBytes();
        DecodedRequest decoded = RequestDecoder.decode(frame.duplicate(), api, version, Long.MAX_VALUE);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        System.out.println(heavy + ": " + frame.remaining() + " bytes allocate " + allocated + " and are counted as "
                + decoded.heapBytes());
        assertThat(allocated).isLessThanOrEqualTo(decoded.heapBytes());
        assertThat(decoded.body()).isNotNull();
    }
}
