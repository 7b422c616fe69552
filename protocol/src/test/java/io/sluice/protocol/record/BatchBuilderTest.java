package io.sluice.protocol.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchBuilderTest {
    @ParameterizedTest
    @EnumSource(CompressionCodec.class)
    void kafkaReadsWhatWasBuilt(CompressionCodec codec) {
        ByteBuf out = Unpooled.buffer();

        new BatchBuilder(out, codec)
                .baseOffset(100)
                .leaderEpoch(4)
                .producer(9, (short) 2, 55)
                .append(5_000, "k".getBytes(UTF_8), "v".getBytes(UTF_8))
                .append(4_000, null, null)
                .finish();

        RecordBatch batch = KafkaBatches.read(out);
        assertThat(batch.baseOffset()).isEqualTo(100);
        assertThat(batch.lastOffset()).isEqualTo(101);
        assertThat(batch.partitionLeaderEpoch()).isEqualTo(4);
        assertThat(batch.producerId()).isEqualTo(9);
        assertThat(batch.lastSequence()).isEqualTo(56);
        assertThat(batch.maxTimestamp()).isEqualTo(5_000);
        List<Record> records = new ArrayList<>();
        batch.forEach(records::add);
        assertThat(records).extracting(Record::timestamp).containsExactly(5_000L, 4_000L);
        assertThat(records.get(0).key()).isEqualTo(java.nio.ByteBuffer.wrap("k".getBytes(UTF_8)));
        assertThat(records.get(1).hasValue()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(CompressionCodec.class)
    void copiesSomeRecordsAndKeepsTheRangeOfOffsets(CompressionCodec codec) {
        ByteBuf original = KafkaBatches.write(codec, 1000, KafkaBatches.someRecords(10, 30));
        BatchView view = new BatchView().wrap(original);
        ByteBuf out = Unpooled.buffer();

        BatchBuilder builder = new BatchBuilder(out, codec).like(view);
        try (RecordCursor cursor = new RecordCursor().open(view)) {
            while (cursor.next()) {
                if (cursor.ordinal() % 4 == 1) {
                    builder.append(cursor.offset(), cursor.timestamp(), cursor);
                }
            }
        }
        builder.finish(view.lastOffset());

        RecordBatch batch = KafkaBatches.read(out);
        assertThat(batch.lastOffset()).isEqualTo(1009);
        List<Record> expected = new ArrayList<>();
        KafkaBatches.read(original).forEach(record -> {
            if ((record.offset() - 1000) % 4 == 1) {
                expected.add(record);
            }
        });
        List<Record> kept = new ArrayList<>();
        batch.forEach(kept::add);
        assertThat(kept).extracting(Record::offset).containsExactly(1001L, 1005L, 1009L);
        for (int i = 0; i < kept.size(); i++) {
            assertThat(kept.get(i).timestamp()).isEqualTo(expected.get(i).timestamp());
            assertThat(kept.get(i).key()).isEqualTo(expected.get(i).key());
            assertThat(kept.get(i).value()).isEqualTo(expected.get(i).value());
            assertThat(kept.get(i).headers()).isEqualTo(expected.get(i).headers());
        }
    }

    @Test
    void anEmptyBatchKeepsItsRangeAndProducer() {
        ByteBuf out = Unpooled.buffer();
        new BatchBuilder(out, CompressionCodec.NONE)
                .baseOffset(7)
                .producer(3, (short) 0, 10)
                .finish(11);

        RecordBatch batch = KafkaBatches.read(out);
        assertThat(batch.countOrNull()).isZero();
        assertThat(batch.lastOffset()).isEqualTo(11);
        assertThat(batch.producerId()).isEqualTo(3);
    }

    @Test
    void theDeleteHorizonReplacesTheBaseTimestamp() {
        ByteBuf out = Unpooled.buffer();
        new BatchBuilder(out, CompressionCodec.NONE)
                .deleteHorizon(90_000)
                .append(60_000, new byte[] {1}, null)
                .finish();

        RecordBatch batch = KafkaBatches.read(out);
        assertThat(batch.deleteHorizonMs()).hasValue(90_000);
        assertThat(batch.iterator().next().timestamp()).isEqualTo(60_000);
    }

    @Test
    void refusesOffsetsThatDoNotGrow() {
        BatchBuilder builder = new BatchBuilder(Unpooled.buffer(), CompressionCodec.NONE).baseOffset(5);
        assertThatThrownBy(() -> builder.append(4, 0, null, null)).isInstanceOf(IllegalArgumentException.class);
        builder.append(6, 0, null, null);
        assertThatThrownBy(() -> builder.append(6, 0, null, null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.baseOffset(0)).isInstanceOf(IllegalStateException.class);
    }
}
