package io.sluice.broker.share;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.coordinator.share.DeadLetter;
import io.sluice.coordinator.share.SharePartition;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes the dead letters of one settlement, a batch at a time: each is durable before the next is made, so that what is in
 * memory is bounded. With Kafka's headers; where records are copied, key and value are read from the log again, and one that is
 * too large for the queue, or gone, is told of by its headers alone. Safe on every thread; one batch is under way at a time.
 */
final class DeadLetterWriter {
    private static final int READ_BYTES = 256 * 1024;
    private static final int MOST_RECORDS = 500;
    private static final int BATCH_OVERHEAD = 61;
    private static final int RECORD_OVERHEAD = 32;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int MOST_TRIES = 100;

    private final Source source;
    private final Target target;
    private final List<DeadLetter> letters;
    private final ByteBufAllocator allocator;
    private final SharePartition.Time time;
    private final CompletableFuture<Void> written = new CompletableFuture<>();
    private int letter;
    private long offset;
    private int tries;

    /** Where the records were. */
    record Source(SharePartitions.ShareOrigin origin, boolean copies) {}

    /** Where they go. */
    record Target(PartitionLog log, int leaderEpoch, int maxBatchBytes) {}

    private DeadLetterWriter(
            Source source,
            Target target,
            List<DeadLetter> letters,
            ByteBufAllocator allocator,
            SharePartition.Time time) {
        this.source = source;
        this.target = target;
        this.letters = letters;
        this.allocator = allocator;
        this.time = time;
        this.offset = letters.get(0).firstOffset();
    }

    /** Completes when all are durable; fails with what was in the way. */
    static CompletionStage<Void> write(
            Source source,
            Target target,
            List<DeadLetter> letters,
            ByteBufAllocator allocator,
            SharePartition.Time time) {
        DeadLetterWriter writer = new DeadLetterWriter(source, target, letters, allocator, time);
        time.executor().execute(writer::next);
        return writer.written;
    }

    private void next() {
        if (letter == letters.size()) {
            written.complete(null);
        } else if (source.copies()) {
            source.origin()
                    .log()
                    .read(
                            new ReadRequest(offset, READ_BYTES, true, ReadRequest.Limit.VISIBLE, time.executor()),
                            result -> time.executor().execute(() -> onRead(result)));
        } else {
            append(Map.of(), letters.get(letter).lastOffset());
        }
    }

    /** What cannot be read any more is told of without it. */
    private void onRead(ReadResult result) {
        long last = letters.get(letter).lastOffset();
        if (!(result instanceof ReadResult.Records read)) {
            append(Map.of(), last);
            return;
        }
        try {
            ReadBatches batches = ReadBatches.of(read, false, offset, offset);
            long readTo = batches.batches().isEmpty()
                    ? last
                    : batches.batches().get(batches.batches().size() - 1).lastOffset();
            ReadBatches.Found found = batches.records(offset, Math.min(last, readTo), target.maxBatchBytes());
            append(found.records(), found.to());
        } catch (IOException e) {
            written.completeExceptionally(e);
        }
    }

    /** Appends the letters from the offset on, as many as go into a batch, up to the last one. */
    private void append(Map<Long, Record> found, long last) {
        DeadLetter current = letters.get(letter);
        List<SimpleRecord> records = new ArrayList<>();
        long now = time.clock().epochMillis();
        int bytes = BATCH_OVERHEAD;
        long end = offset;
        while (end <= last && records.size() < MOST_RECORDS) {
            SimpleRecord record = record(current, end, found.get(end), now);
            if (!records.isEmpty() && bytes + size(record) > target.maxBatchBytes()) {
                break;
            }
            records.add(record);
            bytes += size(record);
            end++;
        }
        append(MemoryRecords.withRecords(Compression.NONE, records.toArray(SimpleRecord[]::new)), end);
    }

    private SimpleRecord record(DeadLetter current, long at, @Nullable Record copied, long now) {
        Header[] headers = headers(current, at);
        SimpleRecord bare = new SimpleRecord(now, (ByteBuffer) null, null, headers);
        if (copied == null) {
            return bare;
        }
        SimpleRecord full = new SimpleRecord(now, copied.key(), copied.value(), headers);
        return BATCH_OVERHEAD + size(full) > target.maxBatchBytes() ? bare : full;
    }

    private Header[] headers(DeadLetter current, long at) {
        SharePartitions.ShareOrigin origin = source.origin();
        return new Header[] {
            header("__dlq.errors.topic", origin.topicName()),
            header("__dlq.errors.partition", Integer.toString(origin.partition())),
            header("__dlq.errors.offset", Long.toString(at)),
            header("__dlq.errors.group", origin.groupId()),
            header("__dlq.errors.delivery.count", Short.toString(current.deliveryCount())),
            header("__dlq.errors.message", message(current.cause()))
        };
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /** In Kafka's words: clients may look for them. */
    private static String message(DeadLetter.Cause cause) {
        return switch (cause) {
            case REJECTED -> "Offset rejected by client.";
            case DELIVERED_TOO_OFTEN -> "Offset delivery count exceeded the threshold.";
        };
    }

    private static int size(SimpleRecord record) {
        int bytes = RECORD_OVERHEAD;
        bytes += record.key() == null ? 0 : record.key().remaining();
        bytes += record.value() == null ? 0 : record.value().remaining();
        for (Header header : record.headers()) {
            bytes += RECORD_OVERHEAD + header.key().length() + header.value().length;
        }
        return bytes;
    }

    private void append(MemoryRecords batch, long end) {
        AppendResult result;
        try {
            ByteBuf copy = allocator.buffer(batch.sizeInBytes()).writeBytes(batch.buffer());
            try {
                result = target.log().append(copy, target.leaderEpoch(), AppendOrigin.CLIENT);
            } finally {
                copy.release();
            }
        } catch (MemoryExhaustedException e) {
            result = new AppendResult.Refused(AppendResult.Refusal.FULL, "no memory for the batch");
        }
        if (result instanceof AppendResult.Appended appended) {
            tries = 0;
            target.log().awaitDurable(appended.lastOffset() + 1, new Durable(end));
        } else {
            onRefused((AppendResult.Refused) result);
        }
    }

    private void onRefused(AppendResult.Refused refused) {
        tries++;
        if (refused.reason() == AppendResult.Refusal.FULL && tries < MOST_TRIES) {
            time.scheduler().schedule(this::next, RETRY_NANOS, time.executor());
        } else {
            written.completeExceptionally(
                    new IllegalStateException("the dead letter queue refuses: " + refused.detail()));
        }
    }

    private void onDurable(long end) {
        offset = end;
        if (offset > letters.get(letter).lastOffset()) {
            letter++;
            if (letter < letters.size()) {
                offset = letters.get(letter).firstOffset();
            }
        }
        next();
    }

    private final class Durable implements DurabilityListener {
        private final long end;

        Durable(long end) {
            this.end = end;
        }

        @Override
        public Executor executor() {
            return time.executor();
        }

        @Override
        public void onDurable(PartitionLog log, long durable) {
            DeadLetterWriter.this.onDurable(end);
        }

        @Override
        public void onUnknown(PartitionLog log, long durable, IOException cause) {
            written.completeExceptionally(cause);
        }
    }
}
