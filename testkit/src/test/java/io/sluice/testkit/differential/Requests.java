package io.sluice.testkit.differential;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;

/** The requests that many cases send, and record sets for them. Names and ids of topics are both set: the version chooses. */
final class Requests {
    static final int TIMEOUT_MILLIS = 10_000;
    private static final int ONE_MIB = 1 << 20;

    private Requests() {}

    /** A record with key, value and a header. */
    static SimpleRecord keyed(long timestamp, String key, String value) {
        Header[] headers = {new RecordHeader("h", "header of ".concat(key).getBytes(StandardCharsets.UTF_8))};
        return new SimpleRecord(
                timestamp, key.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8), headers);
    }

    /** A batch of records without a producer id. */
    static MemoryRecords batch(Compression compression, SimpleRecord... records) {
        return MemoryRecords.withRecords(compression, records);
    }

    /** An uncompressed batch of {@code count} small records, a millisecond apart. */
    static MemoryRecords batch(Session s, int count) {
        SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++) {
            records[i] = keyed(s.baseMillis() + i, "k" + i, "value " + i);
        }
        return batch(Compression.NONE, records);
    }

    /** The bytes of a record set, to be damaged. */
    static byte[] bytes(MemoryRecords records) {
        byte[] bytes = new byte[records.sizeInBytes()];
        records.buffer().duplicate().get(bytes);
        return bytes;
    }

    static ProduceRequestData produce(Session.Topic topic, @Nullable BaseRecords records) {
        return produce(topic, 0, (short) -1, records);
    }

    static ProduceRequestData produce(Session.Topic topic, int partition, short acks, @Nullable BaseRecords records) {
        ProduceRequestData request = new ProduceRequestData()
                .setAcks(acks)
                .setTimeoutMs(TIMEOUT_MILLIS)
                .setTransactionalId(null);
        addPartition(request, topic, partition, records);
        return request;
    }

    static void addPartition(
            ProduceRequestData request, Session.Topic topic, int partition, @Nullable BaseRecords records) {
        ProduceRequestData.TopicProduceData of = null;
        for (ProduceRequestData.TopicProduceData each : request.topicData()) {
            of = each.name().equals(topic.name()) ? each : of;
        }
        if (of == null) {
            of = new ProduceRequestData.TopicProduceData()
                    .setName(topic.name())
                    .setTopicId(topic.id())
                    .setPartitionData(new ArrayList<>());
            request.topicData().add(of);
        }
        of.partitionData()
                .add(new ProduceRequestData.PartitionProduceData()
                        .setIndex(partition)
                        .setRecords(records));
    }

    /** A fetch without a session that answers at once. */
    static FetchRequestData fetch(Session.Topic topic, long offset) {
        return fetch(List.of(topic), 0, offset);
    }

    static FetchRequestData fetch(List<Session.Topic> topics, int partition, long offset) {
        FetchRequestData request =
                new FetchRequestData().setMaxWaitMs(0).setMinBytes(0).setMaxBytes(50 * ONE_MIB);
        for (Session.Topic topic : topics) {
            addPartition(request, topic, partition, offset);
        }
        return request;
    }

    /** Adds a partition and returns it, to be changed. */
    static FetchRequestData.FetchPartition addPartition(
            FetchRequestData request, Session.Topic topic, int partition, long offset) {
        FetchRequestData.FetchPartition added = new FetchRequestData.FetchPartition()
                .setPartition(partition)
                .setFetchOffset(offset)
                .setPartitionMaxBytes(ONE_MIB);
        for (FetchRequestData.FetchTopic each : request.topics()) {
            if (each.topic().equals(topic.name())) {
                each.partitions().add(added);
                return added;
            }
        }
        FetchRequestData.FetchTopic of =
                new FetchRequestData.FetchTopic().setTopic(topic.name()).setTopicId(topic.id());
        of.partitions().add(added);
        request.topics().add(of);
        return added;
    }

    static ListOffsetsRequestData listOffsets(String topic, int partition, long timestamp) {
        ListOffsetsRequestData request = new ListOffsetsRequestData().setReplicaId(-1);
        ListOffsetsRequestData.ListOffsetsTopic of = new ListOffsetsRequestData.ListOffsetsTopic().setName(topic);
        of.partitions()
                .add(new ListOffsetsRequestData.ListOffsetsPartition()
                        .setPartitionIndex(partition)
                        .setTimestamp(timestamp));
        request.topics().add(of);
        return request;
    }
}
