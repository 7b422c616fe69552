package io.sluice.testkit.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Produce and fetch by topic name, for tests that need no more than that. */
public final class SimpleRequests {
    /** A version of Produce that names topics. */
    public static final int PRODUCE_BY_NAME = 9;
    /** A version of Fetch that names topics. */
    public static final int FETCH_BY_NAME = 12;

    private static final int TIMEOUT_MILLIS = 60_000;

    private SimpleRequests() {}

    /** One record without a key. */
    public static ProduceRequestData produce(String topic, int partition, short acks, String value) {
        return produce(topic, partition, acks, value.getBytes(StandardCharsets.UTF_8));
    }

    /** One record without a key. */
    public static ProduceRequestData produce(String topic, int partition, short acks, byte[] value) {
        return produce(topic, partition, acks, MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(value)));
    }

    /** Batches as they are. */
    public static ProduceRequestData produce(String topic, int partition, short acks, MemoryRecords records) {
        ProduceRequestData request = new ProduceRequestData().setAcks(acks).setTimeoutMs(TIMEOUT_MILLIS);
        request.topicData()
                .add(new ProduceRequestData.TopicProduceData()
                        .setName(topic)
                        .setPartitionData(new ArrayList<>(List.of(new ProduceRequestData.PartitionProduceData()
                                .setIndex(partition)
                                .setRecords(records)))));
        return request;
    }

    /** The error of the one partition asked. */
    public static short errorOf(ProduceResponseData answer) {
        return answer.responses().iterator().next().partitionResponses().get(0).errorCode();
    }

    /** Throws {@link IllegalStateException} if the one partition asked has an error. */
    public static void requireNoError(ProduceResponseData answer) {
        if (errorOf(answer) != 0) {
            throw new IllegalStateException("Produce failed: " + answer);
        }
    }

    /**
     * One partition, from an offset.
     *
     * @param maxBytes of the whole answer and of the partition
     */
    public static FetchRequestData fetch(String topic, int partition, long offset, int maxWaitMillis, int maxBytes) {
        FetchRequestData request = new FetchRequestData()
                .setMaxWaitMs(maxWaitMillis)
                .setMinBytes(1)
                .setMaxBytes(maxBytes);
        FetchRequestData.FetchTopic of = new FetchRequestData.FetchTopic().setTopic(topic);
        of.partitions()
                .add(new FetchRequestData.FetchPartition()
                        .setPartition(partition)
                        .setFetchOffset(offset)
                        .setPartitionMaxBytes(maxBytes));
        request.topics().add(of);
        return request;
    }
}
