package io.sluice.broker.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.time.SimulatedTime;
import io.sluice.broker.simulation.InMemoryPartitionLog;
import io.sluice.broker.simulation.InMemoryPartitionLogStore;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import io.sluice.broker.simulation.SimulatedCluster;
import io.sluice.coordinator.runtime.TransactionEnd;
import io.sluice.storage.log.LogState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.requests.DescribeProducersRequest;
import org.apache.kafka.common.requests.DescribeProducersResponse;
import org.apache.kafka.common.requests.WriteTxnMarkersRequest;
import org.apache.kafka.common.requests.WriteTxnMarkersResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LocalMarkersTest {
    private static final TransactionEnd COMMIT = new TransactionEnd(5, (short) 3, 9, true, (short) 2);

    private final InMemoryPartitionLogStore logs = new InMemoryPartitionLogStore();
    private final SimulatedCluster cluster = new SimulatedCluster(logs);
    private final SimulatedTime time = new SimulatedTime(1_700_000_000_000L);
    private final List<TransactionEnd> ended = new ArrayList<>();
    private @Nullable Throwable failure = Errors.COORDINATOR_LOAD_IN_PROGRESS.exception();
    private final LocalMarkers markers = new LocalMarkers(
            cluster, cluster, logs, this::complete, UnpooledByteBufAllocator.DEFAULT, time, Runnable::run);
    private final TopicImage topic = cluster.createTopic("t", 2, Map.of());
    private final InMemoryPartitionLog log = logs.log(topic.partitionId(0));

    @BeforeEach
    void flushWhenTold() {
        logs.setFlushesAtOnce(false);
    }

    private CompletionStage<Void> complete(int partition, TransactionEnd end) {
        ended.add(end);
        return failure == null
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.failedFuture(new CompletionException(failure));
    }

    private CompletableFuture<Errors> write(TransactionEnd end, String name, int partition) {
        return markers.write(end, new TopicPartition(name, partition)).toCompletableFuture();
    }

    @Test
    void writesKafkasControlRecordAndAnswersWhenItIsDurable() {
        CompletableFuture<Errors> written = write(COMMIT, "t", 0);
        assertThat(written).isNotDone();
        log.flush();
        assertThat(written).isCompletedWithValue(Errors.NONE);

        MemoryRecords records =
                MemoryRecords.readableRecords(ByteBuffer.wrap(io.netty.buffer.ByteBufUtil.getBytes(log.contents())));
        MutableRecordBatch batch = records.batches().iterator().next();
        batch.ensureValid();
        assertThat(batch.isControlBatch()).isTrue();
        assertThat(batch.isTransactional()).isTrue();
        assertThat(batch.producerId()).isEqualTo(5);
        assertThat(batch.producerEpoch()).isEqualTo((short) 3);
        assertThat(batch.maxTimestamp()).isEqualTo(time.epochMillis());
        EndTransactionMarker marker =
                EndTransactionMarker.deserialize(batch.iterator().next());
        assertThat(marker.controlType()).isEqualTo(ControlRecordType.COMMIT);
        assertThat(marker.coordinatorEpoch()).isEqualTo(9);
    }

    @Test
    void tellsWhatIsGoneAndWhatToTryAgain() {
        assertThat(write(COMMIT, "no such topic", 0)).isCompletedWithValue(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(write(COMMIT, "t", 2)).isCompletedWithValue(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        logs.setFull(true);
        assertThat(write(COMMIT, "t", 0)).isCompletedWithValue(Errors.REQUEST_TIMED_OUT);
        logs.setFull(false);
        CompletableFuture<Errors> lost = write(COMMIT, "t", 0);
        log.become(LogState.DELETED);
        log.failFlush();
        assertThat(lost).isCompletedWithValue(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    @Test
    void writesNothingBehindTheBackOfACoordinator() {
        logs.setFlushesAtOnce(true);
        for (String name : List.of("__transaction_state", "__share_group_state")) {
            TopicImage state = cluster.createTopic(name, 1, Map.of());
            assertThat(write(COMMIT, name, 0)).isCompletedWithValue(Errors.INVALID_TOPIC_EXCEPTION);
            assertThat(logs.log(state.partitionId(0)).endOffset()).isZero();
        }
    }

    @Test
    void leavesOffsetsToTheGroupCoordinator() {
        cluster.createTopic("__consumer_offsets", 1, Map.of());
        assertThat(write(COMMIT, "__consumer_offsets", 0)).isCompletedWithValue(Errors.COORDINATOR_LOAD_IN_PROGRESS);
        assertThat(ended).containsExactly(COMMIT);
        failure = null;
        assertThat(write(COMMIT, "__consumer_offsets", 0)).isCompletedWithValue(Errors.NONE);
    }

    @Test
    void answersWhoSendsMarkersForEachPartition() {
        logs.setFlushesAtOnce(true);
        WriteTxnMarkersRequest request = new WriteTxnMarkersRequest.Builder(
                        List.of(new WriteTxnMarkersRequest.TxnMarkerEntry(
                                5,
                                (short) 3,
                                9,
                                org.apache.kafka.common.requests.TransactionResult.ABORT,
                                List.of(
                                        new TopicPartition("t", 0),
                                        new TopicPartition("t", 7),
                                        new TopicPartition("none", 0)),
                                (short) 1)))
                .build((short) 1);
        RecordingCall<WriteTxnMarkersRequest> call =
                new RecordingCall<>(request, new RecordingConnection(1), time.nanoTime());
        new WriteTxnMarkersHandler(markers).handle(call);

        Map<TopicPartition, Errors> errors =
                ((WriteTxnMarkersResponse) call.response()).errorsByProducerId().get(5L);
        assertThat(errors)
                .containsEntry(new TopicPartition("t", 0), Errors.NONE)
                .containsEntry(new TopicPartition("t", 7), Errors.UNKNOWN_TOPIC_OR_PARTITION)
                .containsEntry(new TopicPartition("none", 0), Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(log.endOffset()).isEqualTo(1);
    }

    @Test
    void describesTheProducersOfEachPartition() {
        DescribeProducersRequestData data = new DescribeProducersRequestData();
        data.topics()
                .add(new DescribeProducersRequestData.TopicRequest()
                        .setName("t")
                        .setPartitionIndexes(List.of(0, 2)));
        RecordingCall<DescribeProducersRequest> call = new RecordingCall<>(
                new DescribeProducersRequest.Builder(data).build(), new RecordingConnection(1), time.nanoTime());
        new DescribeProducersHandler(cluster, cluster, logs).handle(call);

        List<PartitionResponse> partitions = ((DescribeProducersResponse) call.response())
                .data()
                .topics()
                .get(0)
                .partitions();
        assertThat(partitions).extracting(PartitionResponse::errorCode).containsExactly((short) 0, (short) 3);
        assertThat(partitions.get(0).activeProducers()).hasSameSizeAs(log.activeProducers());
    }
}
