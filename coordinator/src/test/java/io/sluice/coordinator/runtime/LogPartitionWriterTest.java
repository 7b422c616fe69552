package io.sluice.coordinator.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.base.memory.CountedAllocator;
import io.sluice.base.metadata.TopicImage;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.junit.jupiter.api.Test;

class LogPartitionWriterTest {
    private static final int MIB = 1 << 20;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final SteppedTime time = new SteppedTime();
    private Errors verdict = Errors.NONE;
    private Runnable whileAsked = () -> {};
    private int timesAsked;
    private final TopicImage image = cluster.create("__consumer_offsets", 1);
    private final TopicPartition partition = new TopicPartition(image.name(), 0);
    private final CountedAllocator allocator = new CountedAllocator(4 * MIB, MIB, 1);
    private final StateTopic topic = new StateTopic(image.name(), image.id(), 1, cluster);
    private final BatchLimit limit = new BatchLimit(image.name(), cluster, cluster::topicDefaults);
    private final LogPartitionWriter writer = new LogPartitionWriter(
            topic, allocator, limit, new PatientVerifier(this::verify, time, time), time, lost -> {});

    @Test
    void anAppendWithoutMemoryIsOneToTryAgain() {
        topic.setElected(0, cluster.log(image.name(), 0).leaderEpoch());
        MemoryRecords batch =
                MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1L, new byte[] {1}, new byte[100 << 10]));
        ByteBuf everything = allocator.directBuffer(4 * MIB, 4 * MIB);
        assertThatThrownBy(() -> writer.append(partition, VerificationGuard.SENTINEL, batch, (short) 0))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("__consumer_offsets-0: no memory");
        everything.release();
        assertThat(writer.append(partition, VerificationGuard.SENTINEL, batch, (short) 0))
                .isEqualTo(1);
        assertThat(allocator.usedBytes()).isZero();
    }

    private CompletionStage<Map<TopicPartition, Errors>> verify(
            String transactionalId, long producerId, short epoch, List<TopicPartition> partitions, boolean adds) {
        assertThat(transactionalId).isEqualTo("tx");
        assertThat(adds).isTrue();
        timesAsked++;
        whileAsked.run();
        return CompletableFuture.completedFuture(
                partitions.stream().collect(Collectors.toMap(asked -> asked, asked -> verdict)));
    }

    private CompletableFuture<VerificationGuard> startVerification() {
        return writer.maybeStartTransactionVerification(partition, "tx", 5, (short) 0, 5);
    }

    @Test
    void appendsWithTheLogsGuardOnceTheCoordinatorVouches() {
        InMemoryLog log = cluster.log(image.name(), 0);
        topic.setElected(0, log.leaderEpoch());
        log.setVerification(7);
        VerificationGuard guard = startVerification().join();
        MemoryRecords batch = MemoryRecords.withTransactionalRecords(
                Compression.NONE, 5, (short) 0, 0, new SimpleRecord(1L, new byte[] {1}, null));
        writer.append(partition, guard, batch, (short) 2);
        assertThat(log.guards()).containsExactly(7L);

        log.setVerification(PartitionLog.NO_GUARD);
        assertThat(startVerification().join()).as("open already").isSameAs(VerificationGuard.SENTINEL);
        log.setVerification(PartitionLog.STALE_EPOCH);
        assertThatThrownBy(() -> startVerification().join()).hasCauseInstanceOf(InvalidProducerEpochException.class);
    }

    @Test
    void saysWhyTheCoordinatorDoesNotVouch() {
        topic.setElected(0, cluster.log(image.name(), 0).leaderEpoch());
        cluster.log(image.name(), 0).setVerification(7);
        verdict = Errors.INVALID_TXN_STATE;
        assertThatThrownBy(() -> startVerification().join()).hasCauseInstanceOf(InvalidTxnStateException.class);
        verdict = Errors.COORDINATOR_LOAD_IN_PROGRESS;
        assertThatThrownBy(() -> startVerification().join()).hasCauseInstanceOf(NotEnoughReplicasException.class);
    }

    /** The marker of the producer's last transaction comes while the coordinator is asked about its next one. */
    @Test
    void asksAgainWhereAMarkerHasEndedTheVerificationMeanwhile() {
        InMemoryLog log = cluster.log(image.name(), 0);
        topic.setElected(0, log.leaderEpoch());
        log.setVerification(7);
        whileAsked = () -> log.setVerification(8);

        VerificationGuard guard = startVerification().join();

        MemoryRecords batch = MemoryRecords.withTransactionalRecords(
                Compression.NONE, 5, (short) 0, 0, new SimpleRecord(1L, new byte[] {1}, null));
        writer.append(partition, guard, batch, (short) 2);
        assertThat(log.guards()).containsExactly(8L);
        assertThat(timesAsked).isEqualTo(2);
    }

    @Test
    void findsWhatSpeaksAgainstItMeanwhile() {
        InMemoryLog log = cluster.log(image.name(), 0);
        topic.setElected(0, log.leaderEpoch());
        log.setVerification(7);
        whileAsked = () -> log.setVerification(PartitionLog.STALE_EPOCH);
        assertThatThrownBy(() -> startVerification().join()).hasCauseInstanceOf(InvalidProducerEpochException.class);

        log.setVerification(7);
        whileAsked = () -> log.setVerification(PartitionLog.NO_GUARD);
        assertThat(startVerification().join()).isSameAs(VerificationGuard.SENTINEL);
    }

    private long append() {
        MemoryRecords batch = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1L, new byte[] {1}, null));
        return writer.append(partition, VerificationGuard.SENTINEL, batch, (short) 0);
    }

    @Test
    void anAppendForWhichThereIsNoRoomIsRefusedAtOnceAndMayBeTriedAgain() {
        InMemoryLog log = cluster.log(image.name(), 0);
        topic.setElected(0, log.leaderEpoch());
        log.refuse(new AppendResult.Refused(AppendResult.Refusal.FULL, "the journal's buffer is full"));
        assertThatThrownBy(this::append).isInstanceOf(TimeoutException.class).hasMessageContaining("buffer is full");
        assertThat(allocator.usedBytes()).isZero();

        log.refuse(null);
        assertThat(append()).isEqualTo(1);
        assertThat(allocator.usedBytes()).isZero();
    }

    @Test
    void theLargestBatchIsWhatTopicAndNodeHaveAtThatMoment() {
        assertThat(maxBatchBytes()).isEqualTo(1_048_588);
        cluster.setTopicDefaults(TopicDefaults.of(Map.of("message.max.bytes", "2000000")));
        assertThat(maxBatchBytes()).isEqualTo(2_000_000);
        cluster.configure(image.name(), Map.of("max.message.bytes", "3000000"));
        assertThat(maxBatchBytes()).isEqualTo(3_000_000);
        assertThat(writer.config(partition)).as("resolved once").isSameAs(writer.config(partition));
        cluster.configure(image.name(), Map.of());
        assertThat(maxBatchBytes()).isEqualTo(2_000_000);
    }

    private int maxBatchBytes() {
        return writer.config(partition).maxMessageSize();
    }
}
