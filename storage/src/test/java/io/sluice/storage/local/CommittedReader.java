package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.RecordCursor;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.ReadResult.AbortedTransaction;
import io.sluice.storage.log.TestBatches;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashSet;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log as Kafka's consumer does with {@code read_committed}: from each answer it leaves out the data of producers that
 * the list of aborted transactions names, from where they begin to the marker.
 */
final class CommittedReader {
    private final PartitionLog log;
    private final Runnable runTasks;
    private final int maxBytes;
    private final TreeMap<Long, String> found = new TreeMap<>();
    private @Nullable ReadResult ending;
    private long offset;

    /**
     * A reader.
     *
     * @param runTasks lets the log's readers run
     * @param maxBytes of each answer
     */
    CommittedReader(PartitionLog log, Runnable runTasks, int maxBytes) {
        this.log = log;
        this.runTasks = runTasks;
        this.maxBytes = maxBytes;
    }

    /** Reads from an offset up to the last stable one, or to where it gets no further. */
    CommittedReader readFrom(long from) {
        offset = from;
        while (offset < log.lastStableOffset()) {
            ReadResult result = read();
            if (!(result instanceof ReadResult.Records records)) {
                ending = result;
                return this;
            }
            long before = offset;
            take(records);
            if (offset == before) {
                ending = result;
                return this;
            }
        }
        return this;
    }

    private ReadResult read() {
        AtomicReference<ReadResult> result = new AtomicReference<>();
        log.read(new ReadRequest(offset, maxBytes, true, ReadRequest.Limit.LAST_STABLE, Runnable::run), result::set);
        runTasks.run();
        return Objects.requireNonNull(result.get(), "no result");
    }

    private void take(ReadResult.Records records) {
        ArrayDeque<AbortedTransaction> toCome = new ArrayDeque<>();
        records.abortedTransactions().stream()
                .sorted(Comparator.comparingLong(AbortedTransaction::firstOffset))
                .forEach(toCome::add);
        Set<Long> aborted = new HashSet<>();
        ByteBuf all = TestBatches.bytesOf(records.slice());
        BatchView batch = new BatchView();
        for (int at = 0; BatchView.isWholeAt(all, at, all.writerIndex()); at = batch.endIndex()) {
            batch.wrap(all, at);
            while (!toCome.isEmpty() && toCome.element().firstOffset() <= batch.lastOffset()) {
                aborted.add(toCome.remove().producerId());
            }
            if (batch.isControl()) {
                endIfAborted(batch, aborted);
            } else if (!batch.isTransactional() || !aborted.contains(batch.producerId())) {
                deliver(batch);
            }
            offset = batch.nextOffset();
        }
    }

    private static void endIfAborted(BatchView marker, Set<Long> aborted) {
        if (marker.recordCount() > 0) {
            try (RecordCursor cursor = new RecordCursor().open(marker)) {
                cursor.next();
                if (cursor.bytes().getShort(cursor.keyIndex() + 2) == 0) {
                    aborted.remove(marker.producerId());
                }
            }
        }
    }

    private void deliver(BatchView batch) {
        try (RecordCursor cursor = new RecordCursor().open(batch)) {
            while (cursor.next()) {
                if (cursor.offset() >= offset) {
                    found.put(
                            cursor.offset(),
                            cursor.bytes().toString(cursor.valueIndex(), cursor.valueLength(), StandardCharsets.UTF_8));
                }
            }
        }
    }

    /** The values that were delivered, by offset. */
    NavigableMap<Long, String> found() {
        return found;
    }

    /** The answer that it got no further with, or null where it came to the end. */
    @Nullable ReadResult ending() {
        return ending;
    }

    /** Where it goes on. */
    long offset() {
        return offset;
    }
}
