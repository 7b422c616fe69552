package io.sluice.protocol.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.protocol.record.BatchVerdict.Accepted;
import io.sluice.protocol.record.BatchVerdict.Converted;
import io.sluice.protocol.record.BatchVerdict.RecordError;
import io.sluice.protocol.record.BatchVerdict.Refused;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** The cases a reader wants to see; the rest is compared with Kafka's validator. */
class BatchValidatorTest {
    private static final short VERSION = 9;
    private static final long NOW = 1_700_000_000_000L;

    private final BatchValidator validator = new BatchValidator(UnpooledByteBufAllocator.DEFAULT);

    @Test
    void acceptsASoundBatchAsItIs() {
        ByteBuf batch = batch(CompressionCodec.ZSTD, NOW, NOW + 1);
        ByteBuf before = batch.copy();

        BatchVerdict verdict = validator.validate(batch, BatchRules.DEFAULT, VERSION, NOW);

        assertThat(verdict).isEqualTo(new Accepted(batch.readableBytes()));
        assertThat(batch).isEqualTo(before);
    }

    @Test
    void doesNotDecompressWhereNothingAsksForIt() {
        ByteBuf batch = batch(CompressionCodec.GZIP, NOW);
        batch.setByte(BatchView.HEADER_BYTES + 12, batch.getByte(BatchView.HEADER_BYTES + 12) ^ 0x55);
        new BatchView().wrap(batch).rewriteCrc();

        assertThat(validator.validate(batch, BatchRules.DEFAULT, VERSION, NOW)).isInstanceOf(Accepted.class);
        assertRefused(batch, compacted(), BatchError.INVALID);
    }

    @Test
    void whatIsMarkedAsCompressedMustBeginSo() {
        for (CompressionCodec codec : CompressionCodec.values()) {
            ByteBuf batch = batch(CompressionCodec.NONE, NOW);
            batch.setShort(BatchView.ATTRIBUTES_AT, codec.code());
            new BatchView().wrap(batch).rewriteCrc();
            boolean hasMagic = codec != CompressionCodec.NONE && codec != CompressionCodec.SNAPPY;

            BatchVerdict verdict = validator.validate(batch, BatchRules.DEFAULT, VERSION, NOW);

            assertThat(verdict).as("%s", codec).isInstanceOf(hasMagic ? Refused.class : Accepted.class);
        }
    }

    @Test
    void aFlippedBitIsCorrupt() {
        ByteBuf batch = batch(CompressionCodec.NONE, NOW);
        batch.setByte(70, batch.getByte(70) ^ 1);

        assertRefused(batch, BatchRules.DEFAULT, BatchError.CORRUPT);
    }

    @Test
    void nothingAndHalfABatchAreInvalid() {
        ByteBuf batch = batch(CompressionCodec.NONE, NOW);

        assertRefused(Unpooled.EMPTY_BUFFER, BatchRules.DEFAULT, BatchError.INVALID);
        assertRefused(batch.slice(0, batch.readableBytes() - 1), BatchRules.DEFAULT, BatchError.INVALID);
    }

    @Test
    void twoBatchesAreInvalidButTrailingBytesAreCutOff() {
        ByteBuf batch = batch(CompressionCodec.NONE, NOW);
        ByteBuf two = Unpooled.wrappedBuffer(batch.copy(), batch.copy());
        ByteBuf trailing = Unpooled.wrappedBuffer(batch.copy(), Unpooled.wrappedBuffer(new byte[11]));

        assertRefused(two, BatchRules.DEFAULT, BatchError.INVALID);
        assertThat(validator.validate(trailing, BatchRules.DEFAULT, VERSION, NOW))
                .isEqualTo(new Accepted(batch.readableBytes()));
    }

    @Test
    void zstdNeedsVersionSeven() {
        ByteBuf batch = batch(CompressionCodec.ZSTD, NOW);

        Refused refused = (Refused) validator.validate(batch, BatchRules.DEFAULT, (short) 6, NOW);

        assertThat(refused.error()).isEqualTo(BatchError.UNSUPPORTED_CODEC);
        assertThat(refused.structural()).isTrue();
    }

    @Test
    void aBatchMayBeAsLargeAsTheTopicAllows() {
        ByteBuf batch = batch(CompressionCodec.NONE, NOW);

        assertThat(validator.validate(batch, withMaxBytes(batch.readableBytes()), VERSION, NOW))
                .isInstanceOf(Accepted.class);
        assertRefused(batch, withMaxBytes(batch.readableBytes() - 1), BatchError.TOO_LARGE);
    }

    @Test
    void namesTheRecordsWhoseTimeIsOutOfRange() {
        for (CompressionCodec codec : CompressionCodec.values()) {
            Refused refused = assertRefused(
                    batch(codec, NOW, NOW + 3_700_000, NOW, NOW + 9_000_000),
                    BatchRules.DEFAULT,
                    BatchError.INVALID_TIMESTAMP);

            assertThat(refused.recordErrors())
                    .extracting(RecordError::index)
                    .as("%s", codec)
                    .containsExactly(1, 3);
        }
    }

    @Test
    void namesTheKeylessRecordsForACompactedTopic() {
        for (CompressionCodec codec : CompressionCodec.values()) {
            ByteBuf batch = Unpooled.buffer();
            new BatchBuilder(batch, codec)
                    .append(NOW, new byte[] {1}, null)
                    .append(NOW, null, new byte[] {1})
                    .finish();

            Refused refused = assertRefused(batch, compacted(), BatchError.INVALID);

            assertThat(refused.recordErrors()).extracting(RecordError::index).containsExactly(1);
        }
    }

    @Test
    void namesAtMostAThousandRecords() {
        ByteBuf batch = Unpooled.buffer();
        BatchBuilder builder = new BatchBuilder(batch, CompressionCodec.NONE);
        for (int i = 0; i < 5_000; i++) {
            builder.append(NOW, null, null);
        }
        builder.finish();

        assertThat(assertRefused(batch, compacted(), BatchError.INVALID).recordErrors())
                .hasSize(BatchValidator.MAX_RECORD_ERRORS);
    }

    @Test
    void stampsTheTimeOfAppend() {
        for (CompressionCodec codec : CompressionCodec.values()) {
            ByteBuf batch = batch(codec, 5, 6);

            validator.validate(batch, logAppendTime(), VERSION, NOW);

            BatchView view = new BatchView().wrap(batch);
            assertThat(view.isLogAppendTime()).isTrue();
            assertThat(view.maxTimestamp()).isEqualTo(NOW);
            assertThat(view.isCrcValid()).isTrue();
        }
    }

    @Test
    void storesInTheTopicsCodec() {
        BatchRules lz4 = new BatchRules(
                1_000_000, CompressionCodec.LZ4, 9, false, false, Long.MAX_VALUE, 3_600_000, Integer.MAX_VALUE);
        for (CompressionCodec codec : List.of(CompressionCodec.NONE, CompressionCodec.GZIP, CompressionCodec.ZSTD)) {
            ByteBuf batch = KafkaBatches.write(codec, 0, KafkaBatches.someRecords(30, 200));

            Converted converted = (Converted) validator.validate(batch, lz4, VERSION, NOW);

            var stored = KafkaBatches.read(converted.batch());
            assertThat(stored.compressionType()).isEqualTo(CompressionType.LZ4);
            List<Object> values = new ArrayList<>();
            stored.forEach(record -> values.add(record.value()));
            List<Object> sent = new ArrayList<>();
            KafkaBatches.read(batch).forEach(record -> sent.add(record.value()));
            assertThat(values).isEqualTo(sent);
            converted.batch().release();
        }
    }

    @Test
    void aBombIsRefusedWhereItMustBeDecompressed() {
        ByteBuf bomb = KafkaBatches.write(
                CompressionCodec.ZSTD, 0, List.of(new SimpleRecord(NOW, new byte[] {1}, new byte[64 << 20])));
        assertThat(bomb.readableBytes()).isLessThan(20_000);

        assertRefused(bomb, compacted(), BatchError.TOO_LARGE);
        assertThat(validator.validate(bomb, BatchRules.DEFAULT, VERSION, NOW)).isInstanceOf(Accepted.class);
    }

    private Refused assertRefused(ByteBuf batch, BatchRules rules, BatchError error) {
        BatchVerdict verdict = validator.validate(batch, rules, VERSION, NOW);
        assertThat(verdict).isInstanceOf(Refused.class);
        assertThat(((Refused) verdict).error()).isEqualTo(error);
        return (Refused) verdict;
    }

    private static ByteBuf batch(CompressionCodec codec, long... timestamps) {
        ByteBuf batch = Unpooled.buffer();
        BatchBuilder builder = new BatchBuilder(batch, codec);
        for (long timestamp : timestamps) {
            builder.append(timestamp, new byte[] {7}, new byte[40]);
        }
        builder.finish();
        return batch;
    }

    private static BatchRules compacted() {
        return new BatchRules(1_000_000, null, null, true, false, Long.MAX_VALUE, 3_600_000, Integer.MAX_VALUE);
    }

    private static BatchRules logAppendTime() {
        return new BatchRules(1_000_000, null, null, false, true, Long.MAX_VALUE, 3_600_000, Integer.MAX_VALUE);
    }

    private static BatchRules withMaxBytes(int maxBytes) {
        return new BatchRules(maxBytes, null, null, false, false, Long.MAX_VALUE, 3_600_000, Integer.MAX_VALUE);
    }
}
