package io.sluice.protocol.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchViewTest {
    private final BatchView view = new BatchView();

    @ParameterizedTest
    @EnumSource(CompressionCodec.class)
    void readsTheHeaderOfAKafkaBatch(CompressionCodec codec) {
        ByteBuf buffer = KafkaBatches.write(codec, 42, KafkaBatches.someRecords(20, 50));

        view.wrap(buffer);

        RecordBatch kafka = KafkaBatches.read(buffer);
        assertThat(view.baseOffset()).isEqualTo(42);
        assertThat(view.lastOffset()).isEqualTo(kafka.lastOffset()).isEqualTo(61);
        assertThat(view.sizeInBytes()).isEqualTo(kafka.sizeInBytes()).isEqualTo(buffer.readableBytes());
        assertThat(view.maxTimestamp()).isEqualTo(kafka.maxTimestamp());
        assertThat(view.recordCount()).isEqualTo(20);
        assertThat(view.codec()).isEqualTo(codec);
        assertThat(view.crc()).isEqualTo(view.computeCrc());
        assertThat(view.isCrcValid()).isTrue();
        assertThat(view.hasProducerId()).isFalse();
        assertThat(BatchView.isWholeAt(buffer, buffer.readerIndex(), buffer.writerIndex()))
                .isTrue();
        assertThat(BatchView.isWholeAt(buffer, buffer.readerIndex(), buffer.writerIndex() - 1))
                .isFalse();
    }

    @Test
    void readsProducerFieldsAndWrapsTheSequence() {
        MemoryRecords records = MemoryRecords.withTransactionalRecords(
                Compression.NONE,
                77L,
                (short) 3,
                Integer.MAX_VALUE - 1,
                KafkaBatches.someRecords(4, 5).toArray(SimpleRecord[]::new));

        view.wrap(KafkaBatches.direct(records.buffer()));

        assertThat(view.producerId()).isEqualTo(77);
        assertThat(view.producerEpoch()).isEqualTo((short) 3);
        assertThat(view.baseSequence()).isEqualTo(Integer.MAX_VALUE - 1);
        assertThat(view.lastSequence())
                .isEqualTo(1)
                .isEqualTo(records.batches().iterator().next().lastSequence());
        assertThat(view.isTransactional()).isTrue();
        assertThat(view.isControl()).isFalse();
    }

    @Test
    void offsetAndEpochLeaveTheCrcValid() {
        ByteBuf buffer = KafkaBatches.write(CompressionCodec.LZ4, 0, KafkaBatches.someRecords(5, 50));
        view.wrap(buffer).setBaseOffset(1L << 40);
        view.setLeaderEpoch(9);

        RecordBatch kafka = KafkaBatches.read(buffer);
        assertThat(kafka.baseOffset()).isEqualTo(1L << 40);
        assertThat(kafka.partitionLeaderEpoch()).isEqualTo(9);
    }

    @Test
    void appendTimeIsWrittenWithANewCrc() {
        ByteBuf buffer = KafkaBatches.write(CompressionCodec.NONE, 0, KafkaBatches.someRecords(5, 50));
        view.wrap(buffer).setMaxTimestamp(123_456, true);

        RecordBatch kafka = KafkaBatches.read(buffer);
        assertThat(kafka.timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
        assertThat(kafka.maxTimestamp()).isEqualTo(123_456);
        assertThat(kafka).allMatch(record -> record.timestamp() == 123_456);
    }

    @Test
    void everyFlippedBitBehindTheCrcIsFound() {
        ByteBuf buffer = KafkaBatches.write(CompressionCodec.NONE, 0, KafkaBatches.someRecords(3, 20));
        view.wrap(buffer);
        for (int i = buffer.readerIndex() + BatchView.CRC_AT; i < buffer.writerIndex(); i++) {
            buffer.setByte(i, buffer.getByte(i) ^ 0x10);
            assertThat(view.isCrcValid()).as("byte %d flipped", i).isFalse();
            buffer.setByte(i, buffer.getByte(i) ^ 0x10);
        }
        assertThat(view.isCrcValid()).isTrue();
    }

    @Test
    void checksumIsTheSameOverHeapDirectAndCompositeMemory() {
        ByteBuf direct = KafkaBatches.write(CompressionCodec.NONE, 0, KafkaBatches.someRecords(30, 20));
        ByteBuf heap = Unpooled.buffer().writeBytes(direct, direct.readerIndex(), direct.readableBytes());
        ByteBuf composite = Unpooled.wrappedBuffer(
                direct.slice(direct.readerIndex(), 100),
                direct.slice(direct.readerIndex() + 100, direct.readableBytes() - 100));

        for (ByteBuf buffer : List.of(direct, heap, composite)) {
            assertThat(view.wrap(buffer).isCrcValid()).isTrue();
        }
    }
}
