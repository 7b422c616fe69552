package io.sluice.broker.offset;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metric.Metrics;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.broker.simulation.Batches;
import io.sluice.broker.simulation.InMemoryPartitionLog;
import io.sluice.broker.simulation.InMemoryPartitionLogStore;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import io.sluice.broker.simulation.SimulatedCluster;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.LogState;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochRequest;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OffsetHandlersTest {
    private final InMemoryPartitionLogStore logs = new InMemoryPartitionLogStore();
    private final SimulatedCluster cluster = new SimulatedCluster(logs);
    private final ServedTopics topics = new ServedTopics(cluster, () -> TopicDefaults.NONE, new Metrics());
    private final ListOffsetsHandler listOffsets = new ListOffsetsHandler(topics, logs, cluster);
    private final OffsetForLeaderEpochHandler epochs = new OffsetForLeaderEpochHandler(topics, logs, cluster);

    private short version = 7;
    private byte isolation;
    private InMemoryPartitionLog log;

    @BeforeEach
    void aTopicWithRecords() {
        TopicImage topic = cluster.createTopic("t", 2, Map.of());
        log = logs.log(topic.partitionId(0));
        append(batch -> batch.append(1000, null, new byte[1]).append(3000, null, new byte[1]));
        log.beginEpoch(4);
        append(batch -> batch.append(2000, null, new byte[1]).append(2500, null, new byte[1]));
    }

    private void append(java.util.function.Consumer<io.sluice.protocol.record.BatchBuilder> fill) {
        log.append(
                Unpooled.copiedBuffer(Batches.batch(CompressionCodec.NONE, fill).buffer()),
                log.leaderEpoch(),
                AppendOrigin.COORDINATOR);
    }

    @Test
    void placesAndTimes() {
        assertThat(list(-1).offset()).isEqualTo(4);
        assertThat(list(-1).leaderEpoch()).isEqualTo(4);
        assertThat(list(-1).timestamp()).isEqualTo(-1);
        assertThat(list(-2).offset()).isZero();
        assertThat(list(-3).offset()).isEqualTo(1);
        assertThat(list(-3).timestamp()).isEqualTo(3000);
        assertThat(list(1500).offset()).as("inside a batch").isEqualTo(1);
        assertThat(list(1500).timestamp()).isEqualTo(3000);
        assertThat(list(9999).offset()).isEqualTo(-1);
        assertThat(list(9999).errorCode()).isEqualTo(Errors.NONE.code());
    }

    @Test
    void negativeTimesByVersion() {
        assertUnsupported(-4, 7);
        assertSupported(-4, 8);
        assertUnsupported(-5, 8);
        assertSupported(-5, 9);
        assertUnsupported(-6, 10);
        assertSupported(-6, 11);
        assertUnsupported(-3, 6);
        assertUnsupported(-7, 11);
        assertUnsupported(Long.MIN_VALUE, 11);
        version = 9;
        assertThat(list(-5).offset()).isEqualTo(-1);
    }

    private void assertUnsupported(long timestamp, int atVersion) {
        version = (short) atVersion;
        assertThat(Errors.forCode(list(timestamp).errorCode())).isEqualTo(Errors.UNSUPPORTED_VERSION);
        assertThat(list(timestamp).offset()).isEqualTo(-1);
    }

    private void assertSupported(long timestamp, int atVersion) {
        version = (short) atVersion;
        assertThat(Errors.forCode(list(timestamp).errorCode())).isEqualTo(Errors.NONE);
    }

    @Test
    void readCommittedEndsAtTheLastStableOffset() {
        log.setLastStableOffset(3, List.of());
        isolation = 1;
        assertThat(list(-1).offset()).isEqualTo(3);
        isolation = 0;
        assertThat(list(-1).offset()).isEqualTo(4);
    }

    @Test
    void listErrors() {
        assertThat(errorOf("missing", 0, -1)).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(errorOf("t", 7, -1)).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(errorOf("t", 0, 5)).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
        assertThat(errorOf("t", 0, 3)).isEqualTo(Errors.FENCED_LEADER_EPOCH);
        assertThat(errorOf("t", 0, 4)).isEqualTo(Errors.NONE);
        log.become(LogState.FAILED);
        assertThat(errorOf("t", 0, 4)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        log.become(LogState.RECOVERING);
        assertThat(errorOf("t", 0, 4)).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
    }

    @Test
    void aPartitionNamedTwiceIsInvalid() {
        ListOffsetsTopic twice = new ListOffsetsTopic()
                .setName("t")
                .setPartitions(List.of(asked(0, -1, -1), asked(0, -1, -2), asked(1, -1, -1)));

        assertThat(list(twice))
                .extracting(answer -> Errors.forCode(answer.errorCode()))
                .containsExactly(Errors.INVALID_REQUEST, Errors.NONE);
    }

    @Test
    void theEndOfAnEpoch() {
        assertThat(epochEnd(4, -1)).isEqualTo(end(4, 4));
        assertThat(epochEnd(2, -1)).isEqualTo(end(0, 2));
        assertThat(epochEnd(5, -1)).as("of the future").isEqualTo(end(-1, -1));
        assertThat(epochEnd(4, 4)).isEqualTo(end(4, 4));
        assertThat(Errors.forCode(epochEnd(4, 5).errorCode())).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
        assertThat(Errors.forCode(epochEnd(4, 3).errorCode())).isEqualTo(Errors.FENCED_LEADER_EPOCH);
    }

    private static EpochEndOffset end(int epoch, long offset) {
        return new EpochEndOffset().setPartition(0).setLeaderEpoch(epoch).setEndOffset(offset);
    }

    private EpochEndOffset epochEnd(int epoch, int currentEpoch) {
        OffsetForLeaderEpochRequestData data = new OffsetForLeaderEpochRequestData();
        data.topics()
                .add(new OffsetForLeaderTopic()
                        .setTopic("t")
                        .setPartitions(List.of(new OffsetForLeaderPartition()
                                .setPartition(0)
                                .setLeaderEpoch(epoch)
                                .setCurrentLeaderEpoch(currentEpoch))));
        RecordingCall<OffsetsForLeaderEpochRequest> call = new RecordingCall<>(
                OffsetsForLeaderEpochRequest.parse(MessageUtil.toByteBufferAccessor(data, (short) 4), (short) 4),
                new RecordingConnection(1),
                0);
        epochs.handle(call);
        return ((OffsetsForLeaderEpochResponse) call.response())
                .data()
                .topics()
                .iterator()
                .next()
                .partitions()
                .get(0);
    }

    private Errors errorOf(String topic, int partition, int leaderEpoch) {
        ListOffsetsTopic asked =
                new ListOffsetsTopic().setName(topic).setPartitions(List.of(asked(partition, leaderEpoch, -1)));
        return Errors.forCode(list(asked).get(0).errorCode());
    }

    private ListOffsetsPartitionResponse list(long timestamp) {
        return list(new ListOffsetsTopic().setName("t").setPartitions(List.of(asked(0, -1, timestamp))))
                .get(0);
    }

    private static ListOffsetsPartition asked(int partition, int leaderEpoch, long timestamp) {
        return new ListOffsetsPartition()
                .setPartitionIndex(partition)
                .setCurrentLeaderEpoch(leaderEpoch)
                .setTimestamp(timestamp);
    }

    private List<ListOffsetsPartitionResponse> list(ListOffsetsTopic topic) {
        ListOffsetsRequestData data = new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setIsolationLevel(isolation)
                .setTopics(List.of(topic));
        ByteBufferAccessor wire = MessageUtil.toByteBufferAccessor(data, version);
        RecordingCall<ListOffsetsRequest> call =
                new RecordingCall<>(ListOffsetsRequest.parse(wire, version), new RecordingConnection(1), 0);
        listOffsets.handle(call);
        return ((ListOffsetsResponse) call.response()).data().topics().get(0).partitions();
    }
}
