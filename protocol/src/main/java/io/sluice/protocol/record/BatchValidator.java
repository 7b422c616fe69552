package io.sluice.protocol.record;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.protocol.record.BatchVerdict.Accepted;
import io.sluice.protocol.record.BatchVerdict.Converted;
import io.sluice.protocol.record.BatchVerdict.RecordError;
import io.sluice.protocol.record.BatchVerdict.Refused;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks what a producer sent for one partition, and sets or converts what the topic demands. Nothing it is given makes it
 * throw, but for want of memory to convert it.
 *
 * <p>The header is always checked: one whole batch, magic, size, CRC, counts, attributes. The records of an uncompressed
 * batch are always walked, because that costs nothing but a look at each record's lengths. Those of a compressed batch are
 * decompressed only where the topic makes it necessary: to look at keys, at times that the header shows to be out of range,
 * or to store another codec, and not beyond {@link RecordCursor#expansionLimit}; looking keeps nothing of the records in
 * memory, converting one at a time. Of any other
 * compressed batch only the codec's own beginning is looked at, and it is stored as it came.
 *
 * <p>For one thread.
 */
public final class BatchValidator {
    /** Most records that a refusal names. */
    public static final int MAX_RECORD_ERRORS = 1000;

    /** First version of Produce whose clients know zstd. */
    private static final short ZSTD_VERSION = 7;
    /** Bytes up to and with the magic, which all versions of the layout have in one place. */
    private static final int BYTES_TO_MAGIC = BatchView.MAGIC_AT + 1;
    /** Smallest value of the length field in any version of the layout: an empty record of magic 0. */
    private static final int MIN_LENGTH = 14;

    private final ByteBufAllocator allocator;
    private final BatchView view = new BatchView();
    private final RecordCursor cursor;
    private final RecordSkimmer skimmer;

    /**
     * A validator.
     *
     * @param allocator gives the memory of converted batches
     */
    public BatchValidator(ByteBufAllocator allocator) {
        this(allocator, WindowBudget.OF_HEAP);
    }

    BatchValidator(ByteBufAllocator allocator, WindowBudget budget) {
        this.allocator = allocator;
        this.cursor = new RecordCursor(budget);
        this.skimmer = new RecordSkimmer(budget);
    }

    /**
     * Checks the readable bytes of a record set. May write timestamps and CRC in place.
     *
     * @param records reader and writer index stay
     * @param produceVersion version of the request
     * @param nowMillis the wall clock
     * @throws io.sluice.base.memory.MemoryExhaustedException if there is no memory to convert it: try again
     */
    public BatchVerdict validate(ByteBuf records, BatchRules rules, short produceVersion, long nowMillis) {
        int from = records.readerIndex();
        int to = records.writerIndex();
        try {
            Refused refused = checkStructure(records, from, to, produceVersion);
            if (refused != null) {
                return refused;
            }
            refused = checkHeader(view.wrap(records, from), rules);
            return refused != null ? refused : checkRecords(rules, nowMillis);
        } finally {
            view.clear();
        }
    }

    // ---- Is it one batch of magic 2?

    private static @Nullable Refused checkStructure(ByteBuf records, int from, int to, short produceVersion) {
        Refused refused = checkFraming(records, from, to);
        if (refused != null) {
            return refused;
        }
        if (!holdsBatch(records, from, to)) {
            return structural(BatchError.INVALID, "there is no whole record batch in the " + (to - from) + " bytes");
        }
        byte magic = records.getByte(from + BatchView.MAGIC_AT);
        if (magic != BatchView.MAGIC) {
            return structural(BatchError.INVALID, "the batch has magic " + magic + "; only 2 can be produced");
        }
        long size = BatchView.sizeAt(records, from, to);
        if (size < BatchView.HEADER_BYTES) {
            return structural(BatchError.CORRUPT, "the batch has " + size + " bytes, fewer than its header");
        }
        int code = records.getUnsignedShort(from + BatchView.ATTRIBUTES_AT) & BatchView.CODEC_MASK;
        if (produceVersion < ZSTD_VERSION && code >= CompressionCodec.ZSTD.code()) {
            return tooNewCodec(code, produceVersion);
        }
        return checkRest(records, from + (int) size, to);
    }

    private static Refused tooNewCodec(int code, short produceVersion) {
        return code == CompressionCodec.ZSTD.code()
                ? structural(
                        BatchError.UNSUPPORTED_CODEC,
                        "zstd needs version " + ZSTD_VERSION + " of Produce, this is " + produceVersion)
                : structural(BatchError.INVALID, "compression code " + code + " names no codec");
    }

    /** What trails the batch: a second batch is an error, less than one is cut off. */
    private static @Nullable Refused checkRest(ByteBuf records, int from, int to) {
        Refused refused = checkFraming(records, from, to);
        if (refused == null && holdsBatch(records, from, to)) {
            return structural(BatchError.INVALID, "there is more than one batch for the partition");
        }
        return refused;
    }

    private static @Nullable Refused checkFraming(ByteBuf records, int from, int to) {
        if (to - from < BatchView.LOG_OVERHEAD) {
            return null;
        }
        int length = records.getInt(from + BatchView.LENGTH_AT);
        if (length < MIN_LENGTH) {
            return structural(BatchError.CORRUPT, "the batch has the length " + length);
        }
        if (to - from < BYTES_TO_MAGIC) {
            return null;
        }
        byte magic = records.getByte(from + BatchView.MAGIC_AT);
        return magic >= 0 && magic <= BatchView.MAGIC
                ? null
                : structural(BatchError.CORRUPT, "the batch has magic " + magic);
    }

    private static boolean holdsBatch(ByteBuf records, int from, int to) {
        return to - from >= BYTES_TO_MAGIC && BatchView.sizeAt(records, from, to) <= to - from;
    }

    // ---- Is its header sound?

    private static @Nullable Refused checkHeader(BatchView batch, BatchRules rules) {
        if (batch.baseOffset() != 0) {
            return invalid("the batch has base offset " + batch.baseOffset() + "; a producer's must be 0");
        }
        int size = batch.sizeInBytes();
        if (size > rules.maxBatchBytes()) {
            return tooLarge(size, rules);
        }
        if (!batch.isCrcValid()) {
            return refused(BatchError.CORRUPT, "the batch has CRC " + batch.crc() + " but its bytes have another");
        }
        int count = batch.recordCount();
        if (count <= 0 || batch.lastOffsetDelta() != count - 1) {
            return invalid("the batch has " + count + " records and last offset delta " + batch.lastOffsetDelta());
        }
        if (batch.isControl()) {
            return invalid("the batch is marked as holding control records, which no client may write");
        }
        if (batch.producerId() != BatchView.NO_PRODUCER_ID && !hasSoundProducer(batch)) {
            return invalid("the batch of producer " + batch.producerId() + " has epoch " + batch.producerEpoch()
                    + " and sequence " + batch.baseSequence());
        }
        if (batch.isTransactional() && batch.producerId() == BatchView.NO_PRODUCER_ID) {
            return invalid("the batch is part of a transaction and has no producer id");
        }
        return batch.codec() == null ? invalid("compression code " + batch.codecCode() + " names no codec") : null;
    }

    private static boolean hasSoundProducer(BatchView batch) {
        return batch.producerId() >= 0 && batch.producerEpoch() >= 0 && batch.baseSequence() >= 0;
    }

    // ---- Are its records?

    private BatchVerdict checkRecords(BatchRules rules, long nowMillis) {
        CompressionCodec codec = codecOf(view);
        boolean converts = rules.converts(codec);
        if (!CodecMagic.isAt(codec, view)) {
            return invalid("the batch says that it is compressed with " + codec + ", and its records are not");
        }
        if (!converts && !mustLookInside(codec, rules, nowMillis)) {
            return stamp(rules, view.maxTimestamp(), nowMillis);
        }
        try (cursor;
                skimmer) {
            if (converts) {
                cursor.open(view, rules.maxExpandedBytes());
                return convert(rules, nowMillis);
            }
            return walk(
                    codec == CompressionCodec.NONE
                            ? cursor.open(view, rules.maxExpandedBytes())
                            : skimmer.open(view, codec, rules.maxExpandedBytes()),
                    rules,
                    nowMillis);
        } catch (MalformedBatchException e) {
            return e.isExpansion() ? refused(BatchError.TOO_LARGE, message(e)) : invalid(message(e));
        }
    }

    private boolean mustLookInside(CompressionCodec codec, BatchRules rules, long nowMillis) {
        if (codec == CompressionCodec.NONE || rules.keysRequired()) {
            return true;
        }
        if (rules.logAppendTime()) {
            return view.isLogAppendTime();
        }
        return rules.timestampBeforeMaxMillis() != Long.MAX_VALUE || !rules.allows(view.maxTimestamp(), nowMillis);
    }

    private BatchVerdict walk(RecordFacts records, BatchRules rules, long nowMillis) {
        Findings findings = null;
        long maxTimestamp = BatchView.NO_TIMESTAMP;
        while (records.next()) {
            requireSound(records);
            findings = check(records, rules, nowMillis, findings);
            maxTimestamp = Math.max(maxTimestamp, records.timestamp());
        }
        return findings != null ? findings.refusal() : stamp(rules, maxTimestamp, nowMillis);
    }

    private static void requireSound(RecordFacts record) {
        record.checkHeaders();
        if (record.offsetDelta() != record.ordinal()) {
            throw MalformedBatchException.of(
                    "record " + record.ordinal() + " has the offset delta " + record.offsetDelta());
        }
    }

    /** Adds what is wrong with the record, if anything is. */
    private @Nullable Findings check(
            RecordFacts record, BatchRules rules, long nowMillis, @Nullable Findings findings) {
        if (rules.keysRequired() && record.keyLength() < 0) {
            return Findings.addKeyless(findings, record.ordinal());
        }
        if (rules.logAppendTime()) {
            return view.isLogAppendTime() ? Findings.addAppendTime(findings, record.ordinal()) : findings;
        }
        long timestamp = record.timestamp();
        return rules.allows(timestamp, nowMillis)
                ? findings
                : Findings.addTimestamp(findings, record.ordinal(), timestamp, rules, nowMillis);
    }

    private BatchVerdict stamp(BatchRules rules, long maxTimestamp, long nowMillis) {
        if (rules.logAppendTime()) {
            view.setMaxTimestamp(nowMillis, true);
        } else {
            view.setMaxTimestamp(maxTimestamp, false);
        }
        return new Accepted(view.sizeInBytes());
    }

    // ---- Another codec

    private BatchVerdict convert(BatchRules rules, long nowMillis) {
        CompressionCodec target = rules.storedCodec() == null ? codecOf(view) : rules.storedCodec();
        ByteBuf out = allocator.directBuffer(BatchView.HEADER_BYTES + view.sizeInBytes());
        boolean kept = false;
        try {
            BatchBuilder builder = new BatchBuilder(out, target, rules.compressionLevel()).like(view);
            Findings findings = null;
            while (cursor.next()) {
                requireSound(cursor);
                findings = check(cursor, rules, nowMillis, findings);
                if (findings == null) {
                    builder.append(cursor.offset(), cursor.timestamp(), cursor);
                }
                if (out.readableBytes() > rules.maxBatchBytes()) {
                    return tooLarge(out.readableBytes(), rules);
                }
            }
            if (findings != null) {
                return findings.refusal();
            }
            builder.timestamps(rules.logAppendTime(), nowMillis).finish();
            if (out.readableBytes() > rules.maxBatchBytes()) {
                return tooLarge(out.readableBytes(), rules);
            }
            kept = true;
            return new Converted(out);
        } finally {
            if (!kept) {
                out.release();
            }
        }
    }

    private static CompressionCodec codecOf(BatchView batch) {
        CompressionCodec codec = batch.codec();
        return codec == null ? CompressionCodec.NONE : codec;
    }

    // ---- Refusals

    private static Refused tooLarge(int size, BatchRules rules) {
        return refused(
                BatchError.TOO_LARGE,
                "the batch has " + size + " bytes; max.message.bytes of the topic allows " + rules.maxBatchBytes());
    }

    private static Refused invalid(String message) {
        return refused(BatchError.INVALID, message);
    }

    private static Refused refused(BatchError error, String message) {
        return new Refused(error, message, List.of(), false);
    }

    private static Refused structural(BatchError error, String message) {
        return new Refused(error, message, List.of(), true);
    }

    private static String message(MalformedBatchException e) {
        String message = e.getMessage();
        return message == null ? "the batch cannot be read" : message;
    }

    /** The records to blame. */
    private static final class Findings {
        private final List<RecordError> errors = new ArrayList<>();
        private BatchError error = BatchError.INVALID;

        static Findings addKeyless(@Nullable Findings findings, int index) {
            return orNew(findings).add(BatchError.INVALID, index, "a record without a key in a compacted topic");
        }

        static Findings addAppendTime(@Nullable Findings findings, int index) {
            return orNew(findings)
                    .add(BatchError.INVALID_TIMESTAMP, index, "only the broker may mark a time as the time of append");
        }

        static Findings addTimestamp(
                @Nullable Findings findings, int index, long timestamp, BatchRules rules, long nowMillis) {
            long earliest =
                    rules.timestampBeforeMaxMillis() > nowMillis ? 0 : nowMillis - rules.timestampBeforeMaxMillis();
            return orNew(findings)
                    .add(
                            BatchError.INVALID_TIMESTAMP,
                            index,
                            "timestamp " + timestamp + " is not between " + earliest + " and "
                                    + (nowMillis + rules.timestampAfterMaxMillis()));
        }

        private static Findings orNew(@Nullable Findings findings) {
            return findings == null ? new Findings() : findings;
        }

        private Findings add(BatchError kind, int index, String message) {
            if (kind == BatchError.INVALID_TIMESTAMP) {
                error = kind;
            }
            if (errors.size() < MAX_RECORD_ERRORS) {
                errors.add(new RecordError(index, message));
            }
            return this;
        }

        Refused refusal() {
            RecordError first = errors.get(0);
            return new Refused(
                    error, "record " + first.index() + " of the batch: " + first.message(), List.copyOf(errors), false);
        }
    }
}
