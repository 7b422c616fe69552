package io.sluice.broker.share;

import io.netty.buffer.ByteBuf;
import io.sluice.coordinator.share.AcquiredRange;
import io.sluice.coordinator.share.FetchedBatch;
import io.sluice.storage.log.LogSlice;
import io.sluice.storage.log.ReadResult;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;

/**
 * Batches that were read, in memory: which of them hold records to deliver, and those of them that somebody has acquired. Copied
 * out of where they lay, since an answer needs only some of them. For one thread.
 */
final class ReadBatches {
    private final ByteBuffer bytes;
    private final List<FetchedBatch> batches = new ArrayList<>();
    private final List<Integer> sizes = new ArrayList<>();
    private long deliverable;

    private ReadBatches(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    /**
     * Takes over what was read, and releases it.
     *
     * @param readCommitted whether batches of aborted transactions are not to be delivered
     * @param from where it was read from
     * @param end where what might be read ended before it was read: with no batch before it, there is none
     * @throws IOException where a file cannot be read
     */
    static ReadBatches of(ReadResult.Records records, boolean readCommitted, long from, long end) throws IOException {
        ReadBatches read;
        try {
            read = new ReadBatches(copy(records.slice()));
        } finally {
            records.slice().release();
        }
        read.scan(readCommitted ? records.abortedTransactions() : List.of());
        if (read.batches.isEmpty() && from < end) {
            // The cleaner has left nothing there.
            read.batches.add(new FetchedBatch(from, end - 1, false));
            read.sizes.add(0);
        }
        return read;
    }

    private static ByteBuffer copy(LogSlice slice) throws IOException {
        ByteBuffer copy = ByteBuffer.allocate(slice.sizeInBytes());
        for (LogSlice.Piece piece : slice.pieces()) {
            if (piece instanceof LogSlice.Piece.Memory memory) {
                ByteBuf from = memory.bytes();
                from.getBytes(from.readerIndex(), copy.array(), copy.position(), from.readableBytes());
                copy.position(copy.position() + from.readableBytes());
            } else if (piece instanceof LogSlice.Piece.FileRegion region) {
                copy(region, copy);
            }
        }
        return copy.flip();
    }

    private static void copy(LogSlice.Piece.FileRegion region, ByteBuffer to) throws IOException {
        int start = to.position();
        to.limit(start + region.length());
        while (to.hasRemaining()) {
            if (region.channel().read(to, region.position() + to.position() - start) < 0) {
                throw new EOFException("the segment ends inside a batch");
            }
        }
        to.limit(to.capacity());
    }

    /** As consumers that read committed data do: a producer's batches count as aborted from its first one to its marker. */
    private void scan(List<ReadResult.AbortedTransaction> aborted) {
        PriorityQueue<ReadResult.AbortedTransaction> toCome =
                new PriorityQueue<>(Comparator.comparingLong(ReadResult.AbortedTransaction::firstOffset));
        toCome.addAll(aborted);
        Set<Long> aborting = new HashSet<>();
        for (MutableRecordBatch batch : MemoryRecords.readableRecords(bytes).batches()) {
            while (!toCome.isEmpty() && toCome.element().firstOffset() <= batch.lastOffset()) {
                aborting.add(toCome.remove().producerId());
            }
            boolean hidden =
                    batch.isControlBatch() || (batch.isTransactional() && aborting.contains(batch.producerId()));
            if (batch.isControlBatch() && isAbort(batch)) {
                aborting.remove(batch.producerId());
            }
            batches.add(new FetchedBatch(batch.baseOffset(), batch.lastOffset(), !hidden));
            sizes.add(batch.sizeInBytes());
            deliverable += hidden ? 0 : batch.lastOffset() - batch.baseOffset() + 1;
        }
    }

    private static boolean isAbort(MutableRecordBatch batch) {
        // The cleaner leaves the last batch in place without its record.
        var records = batch.iterator();
        return records.hasNext() && ControlRecordType.parse(records.next().key()) == ControlRecordType.ABORT;
    }

    /** In the order of the log. */
    List<FetchedBatch> batches() {
        return batches;
    }

    /** Offsets in batches that may be delivered. */
    long deliverable() {
        return deliverable;
    }

    int sizeInBytes() {
        return bytes.limit();
    }

    /**
     * Records by offset.
     *
     * @param to the last offset that is known of: what is not among the records up to there does not exist
     */
    record Found(Map<Long, Record> records, long to) {}

    /** The records in a range of offsets: those that come first, up to about so many bytes. */
    Found records(long from, long to, int maxBytes) {
        Map<Long, Record> found = new HashMap<>();
        long size = 0;
        for (MutableRecordBatch batch : MemoryRecords.readableRecords(bytes).batches()) {
            if (batch.lastOffset() < from || batch.isControlBatch()) {
                continue;
            }
            for (Record record : batch) {
                if (record.offset() > to) {
                    return new Found(found, to);
                }
                if (size > maxBytes) {
                    return new Found(found, record.offset() - 1);
                }
                if (record.offset() >= from) {
                    found.put(record.offset(), record);
                    size += record.sizeInBytes();
                }
            }
        }
        return new Found(found, to);
    }

    /** The batches that hold something acquired, whole and in order. */
    MemoryRecords holding(List<AcquiredRange> acquired) {
        List<ByteBuffer> kept = new ArrayList<>();
        int position = 0;
        int keptBytes = 0;
        for (int i = 0; i < batches.size(); i++) {
            int size = sizes.get(i);
            FetchedBatch batch = batches.get(i);
            if (acquired.stream()
                    .anyMatch(range ->
                            range.firstOffset() <= batch.lastOffset() && range.lastOffset() >= batch.firstOffset())) {
                kept.add(bytes.slice(position, size));
                keptBytes += size;
            }
            position += size;
        }
        if (keptBytes == bytes.limit()) {
            return MemoryRecords.readableRecords(bytes);
        }
        ByteBuffer some = ByteBuffer.allocate(keptBytes);
        kept.forEach(some::put);
        return MemoryRecords.readableRecords(some.flip());
    }
}
