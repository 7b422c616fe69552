package io.sluice.testkit.limit;

import io.sluice.protocol.frame.MalformedRequestException;
import io.sluice.protocol.frame.RequestDecoder;
import io.sluice.testkit.wire.RawConnection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A request of long lists, as long as a node takes it.
 *
 * @param name for messages
 * @param frame header and body
 * @param heapBytes what it is counted as once it is read
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares them
record HeavyRequest(String name, byte[] frame, long heapBytes) {
    private static final int TRIAL_ELEMENTS = 400;
    private static final int MAX_FRAME_BYTES = 16 << 20;
    private static final long REFUSED = -1;
    private static final String GROUP = "heavy";

    /** One of every kind, each just within what a node takes that lets a request have so much heap. */
    static List<HeavyRequest> all(long maxHeapBytes) {
        List<HeavyRequest> all = new ArrayList<>();
        all.addAll(AlikeNames.answered());
        all.addAll(AlikeNames.refused());
        addPartitions(all, maxHeapBytes);
        addTopics(all, maxHeapBytes);
        addGroups(all, maxHeapBytes);
        return all;
    }

    private static void addPartitions(List<HeavyRequest> all, long maxHeapBytes) {
        add(
                all,
                maxHeapBytes,
                new MetadataRequestData().setAllowAutoTopicCreation(false),
                (data, i) -> data.topics().add(new MetadataRequestData.MetadataRequestTopic().setName("m" + i)));
        add(all, maxHeapBytes, new FetchRequestData().setMaxWaitMs(500), HeavyRequest::addFetch);
        add(
                all,
                maxHeapBytes,
                new ListOffsetsRequestData(),
                (data, i) -> data.topics()
                        .add(new ListOffsetsRequestData.ListOffsetsTopic()
                                .setName("l" + i)
                                .setPartitions(List.of(new ListOffsetsRequestData.ListOffsetsPartition()))));
        add(
                all,
                maxHeapBytes,
                new OffsetCommitRequestData().setGroupId(GROUP),
                (data, i) -> data.topics()
                        .add(new OffsetCommitRequestData.OffsetCommitRequestTopic()
                                .setTopicId(new Uuid(1, i))
                                .setPartitions(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition()))));
        add(
                all,
                maxHeapBytes,
                offsetFetch(),
                (data, i) -> data.groups()
                        .get(0)
                        .topics()
                        .add(new OffsetFetchRequestData.OffsetFetchRequestTopics()
                                .setTopicId(new Uuid(1, i))
                                .setPartitionIndexes(List.of(i))));
    }

    private static void addTopics(List<HeavyRequest> all, long maxHeapBytes) {
        add(
                all,
                maxHeapBytes,
                new CreateTopicsRequestData().setValidateOnly(true),
                (data, i) -> data.topics().add(creatable("v" + i)));
        add(
                all,
                maxHeapBytes,
                new CreateTopicsRequestData(),
                (data, i) -> data.topics().add(creatable("c" + i)));
        add(
                all,
                maxHeapBytes,
                new DeleteTopicsRequestData(),
                (data, i) -> data.topics().add(new DeleteTopicsRequestData.DeleteTopicState().setName("d" + i)));
        add(
                all,
                maxHeapBytes,
                heartbeat(),
                (data, i) -> data.subscribedTopicNames().add("h" + i));
        add(
                all,
                maxHeapBytes,
                new DescribeConfigsRequestData(),
                (data, i) -> data.resources()
                        .add(new DescribeConfigsRequestData.DescribeConfigsResource()
                                .setResourceType((byte) 2)
                                .setResourceName("r" + i)));
        add(
                all,
                maxHeapBytes,
                new IncrementalAlterConfigsRequestData(),
                (data, i) -> data.resources()
                        .add(new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                                .setResourceType((byte) 2)
                                .setResourceName("a" + i)));
    }

    private static void addGroups(List<HeavyRequest> all, long maxHeapBytes) {
        add(
                all,
                maxHeapBytes,
                new DescribeGroupsRequestData(),
                (data, i) -> data.groups().add("g" + i));
        add(
                all,
                maxHeapBytes,
                new DeleteGroupsRequestData(),
                (data, i) -> data.groupsNames().add("g" + i));
        add(
                all,
                maxHeapBytes,
                new ConsumerGroupDescribeRequestData(),
                (data, i) -> data.groupIds().add("g" + i));
        add(
                all,
                maxHeapBytes,
                new FindCoordinatorRequestData(),
                (data, i) -> data.coordinatorKeys().add("g" + i));
    }

    private static void addFetch(FetchRequestData data, int i) {
        FetchRequestData.FetchTopic topic = new FetchRequestData.FetchTopic().setTopicId(new Uuid(1, i));
        topic.partitions().add(new FetchRequestData.FetchPartition().setPartition(i));
        data.topics().add(topic);
    }

    private static OffsetFetchRequestData offsetFetch() {
        OffsetFetchRequestData.OffsetFetchRequestGroup group = new OffsetFetchRequestData.OffsetFetchRequestGroup()
                .setGroupId(GROUP)
                .setTopics(new ArrayList<>());
        return new OffsetFetchRequestData().setGroups(List.of(group));
    }

    private static ConsumerGroupHeartbeatRequestData heartbeat() {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(GROUP)
                .setMemberId("AAAAAAAAAAAAAAAAAAAAAA")
                .setRebalanceTimeoutMs(10_000)
                .setTopicPartitions(List.of())
                .setSubscribedTopicNames(new ArrayList<>());
    }

    private static CreateTopicsRequestData.CreatableTopic creatable(String name) {
        return new CreateTopicsRequestData.CreatableTopic()
                .setName(name)
                .setNumPartitions(1)
                .setReplicationFactor((short) 1);
    }

    /** Begins with a trial, then has as many elements as fit. */
    private static <T extends ApiMessage> void add(
            List<HeavyRequest> all, long maxHeapBytes, T data, BiConsumer<T, Integer> element) {
        ApiKeys api = ApiKeys.forId(data.apiKey());
        IntStream.range(0, TRIAL_ELEMENTS).forEach(i -> element.accept(data, i));
        HeavyRequest last = encoded(api, data);
        int elements = TRIAL_ELEMENTS;
        int more = (int) (maxHeapBytes / (last.heapBytes / TRIAL_ELEMENTS)) / 20;
        for (HeavyRequest next = last; next.isTaken(maxHeapBytes); elements += more) {
            last = next;
            IntStream.range(elements, elements + more).forEach(i -> element.accept(data, i));
            next = encoded(api, data);
        }
        all.add(last);
    }

    private static HeavyRequest encoded(ApiKeys api, ApiMessage data) {
        byte[] frame = RawConnection.encode(api.latestVersion(false), "heavy", 1, data);
        try {
            long heapBytes = RequestDecoder.decode(
                            ByteBuffer.wrap(frame), api, api.latestVersion(false), Integer.MAX_VALUE)
                    .heapBytes();
            return new HeavyRequest(api.name, frame, heapBytes);
        } catch (MalformedRequestException e) {
            return new HeavyRequest(api.name, frame, Long.MAX_VALUE);
        }
    }

    /** Whether a node is to close the connection on it. */
    boolean isRefused() {
        return heapBytes == REFUSED;
    }

    private boolean isTaken(long maxHeapBytes) {
        return heapBytes <= maxHeapBytes && frame.length < MAX_FRAME_BYTES;
    }

    /** One that was written by hand. */
    static HeavyRequest ofBytes(String name, byte[] frame, boolean answered) {
        return new HeavyRequest(name, frame, answered ? 0 : REFUSED);
    }
}
