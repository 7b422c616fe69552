package io.sluice.coordinator.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.base.memory.CountedAllocator;
import io.sluice.base.metadata.TopicImage;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.log.AppendResult;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.junit.jupiter.api.Test;

class LogPartitionWriterTest {
    private static final int MIB = 1 << 20;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final TopicImage image = cluster.create("__consumer_offsets", 1);
    private final TopicPartition partition = new TopicPartition(image.name(), 0);
    private final CountedAllocator allocator = new CountedAllocator(4 * MIB, MIB, 1);
    private final StateTopic topic = new StateTopic(image.name(), image.id(), 1, cluster);
    private final BatchLimit limit = new BatchLimit(image.name(), cluster, cluster::topicDefaults);
    private final LogPartitionWriter writer = new LogPartitionWriter(topic, allocator, limit, lost -> {});

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
