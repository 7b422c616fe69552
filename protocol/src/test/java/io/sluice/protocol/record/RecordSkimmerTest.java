package io.sluice.protocol.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.memory.MemoryExhaustedException;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Looking at compressed records takes no memory that grows with them; what must hold them has one budget. */
class RecordSkimmerTest {
    private static final short VERSION = 9;
    private static final int LARGE_BYTES = 12 << 20;

    private final WindowBudget budget = new WindowBudget(4 << 20);
    private final BatchView view = new BatchView();
    private final RecordSkimmer skimmer = new RecordSkimmer(budget);

    private RecordSkimmer open(ByteBuf buffer) {
        view.wrap(buffer);
        return skimmer.open(view, Objects.requireNonNull(view.codec()), Long.MAX_VALUE);
    }

    private int count(ByteBuf buffer) {
        int count = 0;
        try (RecordSkimmer records = open(buffer)) {
            while (records.next()) {
                count++;
            }
        }
        return count;
    }

    /** One record, a part of it random, so that it may expand so far. */
    private static ByteBuf large(CompressionCodec codec) {
        byte[] value = new byte[LARGE_BYTES];
        byte[] part = new byte[4096];
        Random random = new Random(1);
        for (int at = 0; at < value.length; at += 16 * part.length) {
            random.nextBytes(part);
            System.arraycopy(part, 0, value, at, part.length);
        }
        return KafkaBatches.write(codec, 0, List.of(new SimpleRecord(0, new byte[] {1}, value)));
    }

    @ParameterizedTest
    @EnumSource(value = CompressionCodec.class, mode = Mode.EXCLUDE, names = "NONE")
    void seesEveryRecordAsKafkaDoes(CompressionCodec codec) {
        for (int valueBytes : new int[] {0, 1, 100, 20_000, 100_000}) {
            ByteBuf buffer = KafkaBatches.write(codec, 1000, KafkaBatches.someRecords(40, valueBytes));

            RecordSkimmer records = open(buffer);

            int ordinal = 0;
            for (Record expected : KafkaBatches.read(buffer)) {
                assertThat(records.next()).isTrue();
                assertThat(records.checkHeaders()).isEqualTo(expected.headers().length);
                assertThat(records.ordinal()).isEqualTo(ordinal++);
                assertThat(view.baseOffset() + records.offsetDelta()).isEqualTo(expected.offset());
                assertThat(records.timestamp()).isEqualTo(expected.timestamp());
                assertThat(records.keyLength()).isEqualTo(expected.keySize());
            }
            assertThat(records.next()).isFalse();
            records.close();
        }
    }

    @ParameterizedTest
    @EnumSource(value = CompressionCodec.class, mode = Mode.EXCLUDE, names = "NONE")
    void refusesFewerAndMoreRecordsThanPromised(CompressionCodec codec) {
        ByteBuf buffer = KafkaBatches.write(codec, 0, KafkaBatches.someRecords(6, 30));
        for (int promised : new int[] {5, 7}) {
            buffer.setInt(buffer.readerIndex() + BatchView.RECORD_COUNT_AT, promised);
            assertThatThrownBy(() -> count(buffer)).isInstanceOf(MalformedBatchException.class);
        }
    }

    @Test
    void refusesABatchThatExpandsTooFar() {
        ByteBuf buffer =
                KafkaBatches.write(CompressionCodec.ZSTD, 0, List.of(new SimpleRecord(0, null, new byte[8 << 20])));

        assertThatExceptionOfType(MalformedBatchException.class)
                .isThrownBy(() -> count(buffer))
                .matches(MalformedBatchException::isExpansion);
    }

    @ParameterizedTest
    @EnumSource(value = CompressionCodec.class, mode = Mode.EXCLUDE, names = "NONE")
    void checksARecordLargerThanAllTheMemoryThereIsForWindows(CompressionCodec codec) {
        BatchValidator validator = new BatchValidator(UnpooledByteBufAllocator.DEFAULT, budget);
        BatchRules rules =
                new BatchRules(64 << 20, null, null, true, false, Long.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE);

        assertThat(validator.validate(large(codec), rules, VERSION, 0)).isInstanceOf(BatchVerdict.Accepted.class);
        assertThat(budget.takenBytes()).isZero();
    }

    @Test
    void refusesToHoldARecordLargerThanAllTheMemoryThereIsForWindows() {
        try (RecordCursor cursor = new RecordCursor(budget)) {
            cursor.open(view.wrap(large(CompressionCodec.ZSTD)));

            assertThatExceptionOfType(MalformedBatchException.class)
                    .isThrownBy(cursor::next)
                    .matches(MalformedBatchException::isExpansion);
        }
        assertThat(budget.takenBytes()).isZero();
    }

    @Test
    void letsARecordWaitWhileOthersHoldTheMemory() {
        WindowBudget larger = new WindowBudget(16 << 20);
        RecordCursor second = new RecordCursor(larger);
        try (RecordCursor first = new RecordCursor(larger)) {
            first.open(view.wrap(large(CompressionCodec.ZSTD)));
            assertThat(first.next()).isTrue();
            second.open(new BatchView().wrap(large(CompressionCodec.ZSTD)));
            assertThatThrownBy(second::next).isInstanceOf(MemoryExhaustedException.class);
        }
        second.close();
        assertThat(larger.takenBytes()).isZero();

        second.open(view.wrap(large(CompressionCodec.ZSTD)));
        assertThat(second.next()).isTrue();
        second.close();
        assertThat(larger.takenBytes()).isZero();
    }
}
