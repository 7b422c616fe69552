package io.sluice.storage.local.reader;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.Quarantine;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentLoss;
import io.sluice.storage.log.LogSlice;
import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * One read over the segments of a log. Gathers whole batches below a bound, first from the segment that holds the offset,
 * then from the next ones. For one thread, once.
 */
public final class LogRead {
    /** Smaller regions of a file are sent as memory. */
    public static final int MIN_REGION_BYTES = 64 << 10;

    private static final int SCRATCH_BYTES = 256 << 10;

    private final ReadPlan plan;
    private final BatchOrder order;
    private final BatchLocator locator;
    private final PieceSlice slice = new PieceSlice();
    private final BatchView view = new BatchView();
    private int remaining;
    private long soundRecords;
    private long nextOffset;

    /** A read as planned. */
    public LogRead(ReadPlan plan) {
        this.plan = plan;
        this.order = new BatchOrder(plan.epochs());
        this.locator = new BatchLocator(plan, order);
        this.remaining = plan.maxBytes();
        this.nextOffset = plan.offset();
    }

    /**
     * Reads.
     *
     * @return the slice, which the caller releases; empty where the first batch does not fit
     * @throws DamagedBatchException if the first batch wanted is damaged
     * @throws IOException if the disk fails; nothing is held then
     */
    public PieceSlice run() throws IOException {
        boolean done = false;
        try {
            readSegments();
            done = true;
        } catch (IOException e) { // what lies before is served; the next read begins where it failed
            done = !slice.isEmpty();
            if (!done) {
                throw e;
            }
        } finally {
            if (!done) {
                slice.release();
            }
        }
        return slice;
    }

    /** The offset after the last batch read. */
    public long nextOffset() {
        return nextOffset;
    }

    private void readSegments() throws IOException {
        Segment[] segments = plan.segments();
        int at = Math.max(0, LogContents.floor(segments, nextOffset));
        boolean more = true;
        while (more && at < segments.length && nextOffset < plan.boundOffset() && (remaining > 0 || slice.isEmpty())) {
            Segment segment = segments[at++];
            more = nextOffset >= segment.nextOffset() || readSegment(segment);
        }
    }

    /** Reads as much of one segment as fits; returns whether its end was reached, and the next one follows. */
    private boolean readSegment(Segment segment) throws IOException {
        SegmentLoss loss = segment.loss();
        if (loss != null && nextOffset >= loss.firstOffset()) {
            throw new MissingRecordsException(segment, loss);
        }
        int size = loss == null ? segment.sizeBytes() : loss.position();
        int position = locator.locate(segment, size, nextOffset);
        if (position == BatchLocator.NOT_FOUND) {
            if (loss != null) { // its end is not to be passed over
                throw new MissingRecordsException(segment, loss);
            }
            return true;
        }
        Quarantine.Range known = segment.quarantine().at(position);
        if (known != null) {
            throw new DamagedBatchException(segment, position, known.offset());
        }
        int limit = (int) Math.min(size, (long) position + remaining);
        int end = position;
        if (plan.background() && limit - position >= MIN_REGION_BYTES) {
            end = readRegion(segment, position, limit);
        }
        if (end == position) {
            end = readMemory(segment, position, limit, size);
        }
        plan.hints().put(segment.name(), nextOffset, end);
        remaining -= end - position;
        return end == size && loss == null;
    }

    /** Adds a region of the file that is checked, checking it first where need be. Returns its end, or its start where it is too small. */
    private int readRegion(Segment segment, int position, int limit) throws IOException {
        StorageFile file = PieceSlice.pin(segment);
        boolean used = false;
        try {
            FileChannel channel = file.channel();
            if (channel == null) {
                return position;
            }
            BatchLocator.Boundary end = soundEnd(segment, file, position, limit);
            if (end.position() - position < MIN_REGION_BYTES) {
                return position;
            }
            slice.addRegion(
                    segment,
                    new LogSlice.Piece.FileRegion(channel, position, end.position() - position),
                    end.recordCount());
            used = true;
            nextOffset = end.nextOffset();
            return end.position();
        } finally {
            if (!used) {
                segment.openFiles().release(segment.file());
            }
        }
    }

    private BatchLocator.Boundary soundEnd(Segment segment, StorageFile file, int position, int limit)
            throws IOException {
        if (segment.soundUntil(position) >= limit) {
            return locator.lastBoundary(segment, file, position, limit);
        }
        ByteBuf scratch = plan.allocator().directBuffer(SCRATCH_BYTES, SCRATCH_BYTES);
        try {
            BatchChecker checker = new BatchChecker(scratch, order);
            int end = checker.check(segment, file, position, limit, plan.boundOffset());
            return new BatchLocator.Boundary(end, checker.nextOffset(), checker.recordCount());
        } finally {
            scratch.release();
        }
    }

    private int readMemory(Segment segment, int position, int limit, int size) throws IOException {
        boolean mustHaveOne = plan.atLeastOneBatch() && slice.isEmpty();
        int wanted = mustHaveOne ? Math.max(limit - position, BatchView.HEADER_BYTES) : limit - position;
        wanted = Math.min(wanted, size - position);
        if (wanted < BatchView.HEADER_BYTES) {
            return position;
        }
        ByteBuf bytes = read(segment, position, wanted);
        boolean used = false;
        try {
            long firstSize = BatchView.sizeAt(bytes, 0, bytes.writerIndex());
            if (mustHaveOne && firstSize > wanted) {
                return readLarge(segment, position, size, firstSize);
            }
            int length = soundLength(segment, bytes, position);
            if (length > 0) {
                slice.addMemory(bytes.writerIndex(length), soundRecords);
                used = true;
                segment.onChecked(position, position + length);
            }
            return position + length;
        } finally {
            if (!used) {
                bytes.release();
            }
        }
    }

    /** Reads a first batch that is larger than asked for. */
    private int readLarge(Segment segment, int position, int size, long batchBytes) throws IOException {
        if (batchBytes > size - position) {
            throw new DamagedBatchException(segment, position, nextOffset);
        }
        return readMemory(segment, position, position + (int) batchBytes, size);
    }

    private ByteBuf read(Segment segment, int position, int length) throws IOException {
        ByteBuf bytes = plan.allocator().directBuffer(length, length);
        boolean done = false;
        StorageFile file = segment.openFiles().acquire(segment.file());
        try {
            int count = file.read(bytes.nioBuffer(0, length), position);
            bytes.writerIndex(count);
            done = true;
            return bytes;
        } finally {
            segment.openFiles().release(segment.file());
            if (!done) {
                bytes.release();
            }
        }
    }

    /** Bytes of whole, sound batches below the bound that the buffer begins with; counts their records. */
    private int soundLength(Segment segment, ByteBuf bytes, int position) throws IOException {
        int end = bytes.writerIndex();
        int at = 0;
        soundRecords = 0;
        long expected = BatchOrder.UNKNOWN;
        while (BatchView.isWholeAt(bytes, at, end)) {
            view.wrap(bytes, at);
            if (view.baseOffset() >= plan.boundOffset()) {
                return at;
            }
            if (!order.isInPlace(segment, view, expected) || !view.isCrcValid()) {
                break;
            }
            nextOffset = view.nextOffset();
            expected = nextOffset;
            at += view.sizeInBytes();
            soundRecords += view.recordCount();
        }
        if (at == 0 && isDamagedAt(bytes, end)) {
            throw new DamagedBatchException(segment, position, nextOffset);
        }
        return at;
    }

    /** Whether what the buffer begins with is damaged, and not only cut off by its end. */
    private static boolean isDamagedAt(ByteBuf bytes, int end) {
        long size = BatchView.sizeAt(bytes, 0, end);
        boolean cutOff = size < 0 || size > end;
        return !cutOff || end < BatchView.HEADER_BYTES || bytes.getByte(16) != BatchView.MAGIC;
    }
}
