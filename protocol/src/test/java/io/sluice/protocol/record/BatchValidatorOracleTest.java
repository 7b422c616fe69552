package io.sluice.protocol.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.protocol.record.BatchVerdict.Accepted;
import io.sluice.protocol.record.BatchVerdict.Converted;
import io.sluice.protocol.record.BatchVerdict.Refused;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Pattern;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.PrimitiveRef;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogValidator;
import org.apache.kafka.storage.internals.log.RecordValidationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.SnappyError;

/**
 * Seeded batches, sound and damaged, through our validator and through Kafka's own: the same answer, the same records
 * blamed, the same bytes stored. Where ours differs on purpose, the difference is named here.
 */
class BatchValidatorOracleTest {
    private static final int ROUNDS = 4_000;
    private static final long NOW = Time.SYSTEM.milliseconds();
    /**
     * Stricter than Kafka, which stores records of a wrong offset delta as they are or silently renumbers them, and takes a
     * producer's negative id or epoch. Where Kafka only skips through compressed records, parts that do not add up to the
     * record's length escape it.
     */
    private static final Pattern STRICTER = Pattern.compile("offset delta|producer -|epoch -|its parts|is cut off");

    private static final long DAY_MILLIS = 86_400_000;

    private final BatchValidator validator = new BatchValidator(UnpooledByteBufAllocator.DEFAULT);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void answersAsKafkaDoes(long seed) {
        Random random = new Random(seed);
        int accepted = 0;
        int refused = 0;
        int converted = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Rules rules = Rules.random(random);
            ByteBuffer sent = sentBatch(random);
            short version = (short) (3 + random.nextInt(11));
            Outcome kafka = kafkaAnswer(copy(sent), rules, version);
            ByteBuf ours = Unpooled.wrappedBuffer(copy(sent));
            BatchVerdict verdict = validator.validate(ours, rules.toOurs(), version, NOW);
            String what = "seed " + seed + " round " + round + " " + rules + " v" + version + ": Kafka " + kafka
                    + ", ours " + verdict;
            if (verdict instanceof Refused ourRefusal) {
                refused++;
                compareRefusal(kafka, ourRefusal, what);
            } else if (verdict instanceof Accepted ourAcceptance) {
                accepted++;
                compareAcceptance(kafka, ours.slice(0, ourAcceptance.sizeInBytes()), rules, what);
            } else if (verdict instanceof Converted conversion) {
                converted++;
                compareConversion(kafka, conversion.batch(), what);
            }
        }
        assertThat(List.of(accepted, refused, converted)).allMatch(count -> count > ROUNDS / 50);
    }

    private static void compareRefusal(Outcome kafka, Refused ours, String what) {
        if (STRICTER.matcher(ours.message()).find()) {
            // Kafka may have found nothing wrong, or something else beside it.
            return;
        }
        if (kafka.error == Errors.UNKNOWN_SERVER_ERROR) {
            // Kafka answers a broken compressed stream or an unknown codec with "unknown": ours says what is wrong.
            assertThat(ours.error()).as(what).isIn(BatchError.INVALID, BatchError.CORRUPT);
            return;
        }
        if (ours.error() == BatchError.TOO_LARGE && kafka.error == Errors.INVALID_RECORD) {
            // A batch in another codec is stored up to the limit: ours does not look at what is broken behind that.
            return;
        }
        assertThat(Errors.forCode(ours.error().code())).as(what).isEqualTo(kafka.error);
        assertThat(ours.recordErrors().stream()
                        .map(BatchVerdict.RecordError::index)
                        .toList())
                .as(what)
                .isEqualTo(kafka.recordErrors);
    }

    private static void compareAcceptance(Outcome kafka, ByteBuf stored, Rules rules, String what) {
        CompressionCodec codec = new BatchView().wrap(stored).codec();
        if (kafka.error != Errors.NONE || kafka.stored == null) {
            // Kafka decompresses every batch; ours only those that it must look into.
            assertThat(codec).as(what).isNotIn(null, CompressionCodec.NONE);
            assertThat(rules.compacted).as(what).isFalse();
            return;
        }
        if (rules.appendTime) {
            assertThat(new BatchView().wrap(stored).isLogAppendTime()).as(what).isTrue();
            assertThat(new BatchView().wrap(stored).maxTimestamp()).as(what).isEqualTo(NOW);
            assertThat(new BatchView().wrap(stored).isCrcValid()).as(what).isTrue();
            return;
        }
        if (codec != CompressionCodec.NONE && !rules.compacted) {
            // Kafka corrects the header's largest time from the records; ours leaves it where it did not look inside.
            assertThat(new BatchView().wrap(stored).isCrcValid()).as(what).isTrue();
            return;
        }
        // The log writes the leader epoch.
        new BatchView().wrap(stored).setLeaderEpoch(-1);
        assertThat(ByteBufUtil.hexDump(stored))
                .as(what)
                .isEqualTo(ByteBufUtil.hexDump(Unpooled.wrappedBuffer(kafka.stored)));
    }

    private static void compareConversion(Outcome kafka, ByteBuf stored, String what) {
        try {
            assertThat(kafka.error).as(what).isEqualTo(Errors.NONE);
            RecordBatch ours = KafkaBatches.read(stored);
            RecordBatch theirs = KafkaBatches.read(Unpooled.wrappedBuffer(kafka.stored));
            assertThat(ours.compressionType()).as(what).isEqualTo(theirs.compressionType());
            assertThat(ours.lastOffset()).as(what).isEqualTo(theirs.lastOffset());
            assertThat(ours.producerId()).as(what).isEqualTo(theirs.producerId());
            assertThat(ours.baseSequence()).as(what).isEqualTo(theirs.baseSequence());
            assertThat(ours.isTransactional()).as(what).isEqualTo(theirs.isTransactional());
            assertThat(ours.timestampType()).as(what).isEqualTo(theirs.timestampType());
            List<Record> ourRecords = new ArrayList<>();
            ours.forEach(ourRecords::add);
            int i = 0;
            for (Record expected : theirs) {
                Record got = ourRecords.get(i++);
                assertThat(got.offset()).as(what).isEqualTo(expected.offset());
                assertThat(got.key()).as(what).isEqualTo(expected.key());
                assertThat(got.value()).as(what).isEqualTo(expected.value());
                assertThat(got.headers()).as(what).isEqualTo(expected.headers());
                if (ours.timestampType() == TimestampType.CREATE_TIME) {
                    assertThat(got.timestamp()).as(what).isEqualTo(expected.timestamp());
                }
            }
            assertThat(ourRecords).as(what).hasSize(i);
        } finally {
            stored.release();
        }
    }

    // ---- What is sent

    private static ByteBuffer sentBatch(Random random) {
        CompressionCodec codec = anyCodec(random);
        List<SimpleRecord> records = new ArrayList<>();
        int count = 1 + random.nextInt(6);
        long base = NOW - 1_000;
        boolean allKeys = random.nextBoolean();
        for (int i = 0; i < count; i++) {
            long time = random.nextInt(12) == 0 ? base + (random.nextBoolean() ? 30 : -30) * DAY_MILLIS : base + i;
            byte[] key = allKeys || random.nextInt(4) > 0 ? new byte[] {(byte) i} : null;
            records.add(new SimpleRecord(time, key, new byte[random.nextInt(60)]));
        }
        Compression compression =
                Compression.of(CompressionType.forId(codec.code())).build();
        SimpleRecord[] array = records.toArray(SimpleRecord[]::new);
        MemoryRecords sent = random.nextBoolean()
                ? MemoryRecords.withRecords(compression, array)
                : MemoryRecords.withIdempotentRecords(compression, 5L, (short) 0, random.nextInt(9), array);
        ByteBuffer bytes = copy(sent.buffer());
        if (random.nextInt(3) > 0) {
            bytes = damage(bytes, random);
        }
        return bytes;
    }

    private static ByteBuffer damage(ByteBuffer bytes, Random random) {
        switch (random.nextInt(8)) {
            case 0 -> bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
            case 1 -> bytes.limit(random.nextInt(bytes.limit()));
            case 2 -> bytes = twice(bytes, random.nextInt(bytes.limit()) + 1);
            case 3 -> bytes.put(BatchView.MAGIC_AT, (byte) (random.nextInt(6) - 1));
            case 4 -> bytes.putLong(0, random.nextInt(3));
            default -> {
                int headerAndRecords =
                        BatchView.ATTRIBUTES_AT + random.nextInt(bytes.limit() - BatchView.ATTRIBUTES_AT);
                bytes.put(headerAndRecords, (byte) random.nextInt(random.nextBoolean() ? 4 : 256));
                if (bytes.getInt(BatchView.LENGTH_AT) == bytes.limit() - BatchView.LOG_OVERHEAD) {
                    new BatchView().wrap(Unpooled.wrappedBuffer(bytes)).rewriteCrc();
                }
            }
        }
        return bytes;
    }

    private static ByteBuffer twice(ByteBuffer bytes, int secondBytes) {
        ByteBuffer both = ByteBuffer.allocate(bytes.limit() + secondBytes);
        both.put(0, bytes, 0, bytes.limit()).put(bytes.limit(), bytes, 0, secondBytes);
        return both;
    }

    private static CompressionCodec anyCodec(Random random) {
        return Objects.requireNonNull(CompressionCodec.find(random.nextInt(5)));
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining());
        copy.put(0, bytes, bytes.position(), bytes.remaining());
        return copy;
    }

    private record Rules(
            @Nullable CompressionCodec target,
            boolean compacted,
            boolean appendTime,
            boolean boundedPast,
            int maxBytes) {
        static Rules random(Random random) {
            CompressionCodec target = random.nextInt(3) == 0 ? anyCodec(random) : null;
            return new Rules(
                    target,
                    random.nextInt(3) == 0,
                    random.nextInt(4) == 0,
                    random.nextInt(3) == 0,
                    random.nextInt(8) == 0 ? 150 : 1_000_000);
        }

        long before() {
            return boundedPast ? DAY_MILLIS : Long.MAX_VALUE;
        }

        BatchRules toOurs() {
            return new BatchRules(
                    maxBytes, target, null, compacted, appendTime, before(), DAY_MILLIS, Integer.MAX_VALUE);
        }
    }

    // ---- What Kafka says

    private record Outcome(
            Errors error,
            String message,
            List<Integer> recordErrors,
            @Nullable ByteBuffer stored) {}

    @SuppressWarnings("checkstyle:IllegalCatch") // Kafka maps whatever is thrown here to an error code
    private static Outcome kafkaAnswer(ByteBuffer sent, Rules rules, short version) {
        try {
            MemoryRecords records = MemoryRecords.readableRecords(sent);
            ProduceRequest.validateRecords(version, records);
            RecordBatch batch = analyze(records, rules);
            ByteBuffer trimmed = sent.duplicate().limit(batch.sizeInBytes());
            LogValidator.ValidationResult result = logValidator(MemoryRecords.readableRecords(trimmed), batch, rules)
                    .validateMessagesAndAssignOffsets(
                            PrimitiveRef.ofLong(0), NoMetrics.INSTANCE, BufferSupplier.NO_CACHING);
            if (result.validatedRecords().sizeInBytes() > rules.maxBytes) {
                throw new RecordTooLargeException("after conversion");
            }
            return new Outcome(
                    Errors.NONE, "", List.of(), result.validatedRecords().buffer());
        } catch (RecordValidationException e) {
            return new Outcome(
                    Errors.forException(e.invalidException()),
                    String.valueOf(e.getMessage()),
                    e.recordErrors().stream().map(error -> error.batchIndex).toList(),
                    null);
        } catch (RuntimeException | SnappyError e) {
            return new Outcome(Errors.forException(e), String.valueOf(e), List.of(), null);
        }
    }

    /** What the log checks before it hands the batch to the validator. */
    private static RecordBatch analyze(MemoryRecords records, Rules rules) {
        RecordBatch batch = records.batches().iterator().next();
        if (batch.baseOffset() != 0) {
            throw new InvalidRecordException("base offset");
        }
        if (batch.sizeInBytes() > rules.maxBytes) {
            throw new RecordTooLargeException("size");
        }
        if (!batch.isValid()) {
            throw new CorruptRecordException("crc");
        }
        return batch;
    }

    private static LogValidator logValidator(MemoryRecords records, RecordBatch batch, Rules rules) {
        CompressionType source = batch.compressionType();
        CompressionType target = rules.target == null ? source : CompressionType.forId(rules.target.code());
        return new LogValidator(
                records,
                new TopicPartition("t", 0),
                Time.SYSTEM,
                source,
                Compression.of(target).build(),
                rules.compacted,
                RecordBatch.MAGIC_VALUE_V2,
                rules.appendTime ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME,
                rules.before(),
                DAY_MILLIS,
                -1,
                AppendOrigin.CLIENT);
    }

    private enum NoMetrics implements LogValidator.MetricsRecorder {
        INSTANCE;

        @Override
        public void recordInvalidMagic() {}

        @Override
        public void recordInvalidOffset() {}

        @Override
        public void recordInvalidSequence() {}

        @Override
        public void recordInvalidChecksums() {}

        @Override
        public void recordNoKeyCompactedTopic() {}
    }
}
