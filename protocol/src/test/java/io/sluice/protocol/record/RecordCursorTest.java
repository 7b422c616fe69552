package io.sluice.protocol.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordCursorTest {
    private final BatchView view = new BatchView();
    private final RecordCursor cursor = new RecordCursor();

    @ParameterizedTest
    @EnumSource(CompressionCodec.class)
    void readsEveryRecordAsKafkaDoes(CompressionCodec codec) {
        for (int valueBytes : new int[] {0, 1, 100, 20_000, 100_000}) {
            ByteBuf buffer = KafkaBatches.write(codec, 1000, KafkaBatches.someRecords(40, valueBytes));

            cursor.open(view.wrap(buffer));

            for (Record expected : KafkaBatches.read(buffer)) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.checkHeaders()).isEqualTo(expected.headers().length);
                assertThat(cursor.offset()).isEqualTo(expected.offset());
                assertThat(cursor.timestamp()).isEqualTo(expected.timestamp());
                assertThat(bytes(cursor.keyIndex(), cursor.keyLength())).isEqualTo(bytes(expected.key()));
                assertThat(bytes(cursor.valueIndex(), cursor.valueLength())).isEqualTo(bytes(expected.value()));
                assertThat(cursor.recordLength()).isEqualTo(expected.sizeInBytes());
            }
            assertThat(cursor.next()).isFalse();
            cursor.close();
        }
    }

    @ParameterizedTest
    @EnumSource(CompressionCodec.class)
    void refusesFewerAndMoreRecordsThanPromised(CompressionCodec codec) {
        ByteBuf buffer = KafkaBatches.write(codec, 0, KafkaBatches.someRecords(6, 30));
        for (int promised : new int[] {5, 7}) {
            buffer.setInt(buffer.readerIndex() + BatchView.RECORD_COUNT_AT, promised);
            assertThatThrownBy(() -> walk(buffer)).isInstanceOf(MalformedBatchException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = CompressionCodec.class,
            names = {"GZIP", "LZ4", "ZSTD"})
    void refusesABatchThatExpandsTooFar(CompressionCodec codec) {
        ByteBuf buffer = KafkaBatches.write(codec, 0, List.of(new SimpleRecord(0, null, new byte[8 << 20])));
        assertThat(RecordCursor.expansionLimit(buffer.readableBytes())).isLessThan(8 << 20);

        assertThatExceptionOfType(MalformedBatchException.class)
                .isThrownBy(() -> walk(buffer))
                .matches(MalformedBatchException::isExpansion);
    }

    @Test
    void refusesSnappyChunksThatClaimMoreThanIsAllowed() {
        ByteBuf buffer = KafkaBatches.write(CompressionCodec.SNAPPY, 0, KafkaBatches.someRecords(3, 50));
        int firstBlock = buffer.readerIndex() + BatchView.HEADER_BYTES + 16 + 4;
        buffer.setInt(firstBlock, 0xffffff7f);

        assertThatExceptionOfType(MalformedBatchException.class)
                .isThrownBy(() -> walk(buffer))
                .matches(MalformedBatchException::isExpansion);
    }

    @Test
    void refusesSnappyChunksLongerThanTheirBatch() {
        ByteBuf buffer = KafkaBatches.write(CompressionCodec.SNAPPY, 0, KafkaBatches.someRecords(3, 50));
        buffer.setInt(buffer.readerIndex() + BatchView.HEADER_BYTES + 16, 500_000_000);

        assertThatExceptionOfType(MalformedBatchException.class).isThrownBy(() -> walk(buffer));
    }

    @Test
    void allowsSmallBatchesToExpandFar() {
        ByteBuf buffer =
                KafkaBatches.write(CompressionCodec.ZSTD, 0, List.of(new SimpleRecord(0, null, new byte[900 << 10])));
        assertThat(buffer.readableBytes()).isLessThan(1000);

        assertThat(walk(buffer)).isEqualTo(1);
    }

    @Test
    void expansionIsBoundedByRatioAndByAnAbsoluteLimit() {
        assertThat(RecordCursor.expansionLimit(100)).isEqualTo(1 << 20);
        assertThat(RecordCursor.expansionLimit(1 << 20)).isEqualTo(100 << 20);
        assertThat(RecordCursor.expansionLimit(50 << 20)).isEqualTo(256 << 20);
    }

    @Test
    void headersMustFillTheRecordExactly() {
        ByteBuf buffer = Unpooled.buffer();
        new BatchBuilder(buffer, CompressionCodec.NONE)
                .append(5, new byte[] {1}, new byte[] {2})
                .finish();
        int headerCount = buffer.writerIndex() - 1;
        for (int wrong : new int[] {1, 2, 4}) {
            buffer.setByte(headerCount, wrong);
            cursor.open(view.wrap(buffer));
            assertThat(cursor.next()).isTrue();
            assertThatThrownBy(cursor::checkHeaders).isInstanceOf(MalformedBatchException.class);
            cursor.close();
        }
    }

    /** Damaged bytes end in records or in one kind of exception: no other exception, no hang, no runaway memory. */
    @ParameterizedTest
    @EnumSource(CompressionCodec.class)
    void survivesMutatedBatches(CompressionCodec codec) {
        Random random = new Random(20_260_101L + codec.code());
        ByteBuf original = KafkaBatches.write(codec, 0, KafkaBatches.someRecords(12, 40));
        int refused = 0;
        for (int round = 0; round < 5_000; round++) {
            ByteBuf mutated = Unpooled.copiedBuffer(original);
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                int at = BatchView.HEADER_BYTES + random.nextInt(mutated.readableBytes() - BatchView.HEADER_BYTES);
                mutated.setByte(at, random.nextInt());
            }
            try {
                walk(mutated);
            } catch (MalformedBatchException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(500);
    }

    private int walk(ByteBuf buffer) {
        int records = 0;
        try (cursor) {
            cursor.open(view.wrap(buffer));
            while (cursor.next()) {
                cursor.checkHeaders();
                records++;
            }
        }
        return records;
    }

    private List<Byte> bytes(int index, int length) {
        return length < 0 ? List.of((byte) -1, (byte) -1) : list(ByteBufUtil.getBytes(cursor.bytes(), index, length));
    }

    private static List<Byte> bytes(ByteBuffer buffer) {
        return buffer == null
                ? List.of((byte) -1, (byte) -1)
                : list(ByteBufUtil.getBytes(Unpooled.wrappedBuffer(buffer)));
    }

    private static List<Byte> list(byte[] bytes) {
        List<Byte> list = new ArrayList<>(bytes.length);
        for (byte b : bytes) {
            list.add(b);
        }
        return list;
    }
}
