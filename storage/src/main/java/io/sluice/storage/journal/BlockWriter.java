package io.sluice.storage.journal;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Clock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/** Numbers blocks and writes them, one at a time, each durable before the next is begun. For the flush thread. */
final class BlockWriter {
    private final JournalFiles files;
    private final JournalConfig config;
    private final Clock clock;
    private final LongSupplier cpuNanos;
    private final FlushPacing pacing;
    private final Metrics.Histogram flushTime;
    private final Metrics.Histogram groupWait;
    private final Metrics.Histogram groupBytes;
    private final GroupBuffer staging;
    private long nextSequence;
    private long lastWriteStartNanos;

    BlockWriter(JournalStart start, JournalResources resources, FlushPacing pacing) {
        this.files = start.files();
        this.config = start.config();
        this.nextSequence = start.nextSequence();
        this.clock = resources.clock();
        this.lastWriteStartNanos = clock.nanoTime();
        this.cpuNanos = resources.cpuNanos();
        this.staging = new GroupBuffer(resources.allocator(), config.maxBlockBytes(), files.alignment());
        this.pacing = pacing;
        this.flushTime = resources.metrics().histogram(Metric.JOURNAL_FLUSH_SECONDS);
        this.groupWait = resources.metrics().histogram(Metric.JOURNAL_GROUP_WAIT_SECONDS);
        this.groupBytes = resources.metrics().histogram(Metric.JOURNAL_GROUP_BYTES);
    }

    /** When the last write began, by the monotonic clock. */
    long lastWriteStartNanos() {
        return lastWriteStartNanos;
    }

    /**
     * Writes a group as one block.
     *
     * @param position after the last entry before the group
     * @param released written along, so that recovery knows of it
     * @return bytes on the device
     */
    long writeGroup(GroupBuffer group, long position, long released) throws IOException {
        switchFileIfFull(group.paddedBytes(), position, 0, released);
        return write(group, group.firstArrivalNanos(), position, released, (byte) 0);
    }

    /** Writes an entry in fragments, one block each; see {@link #writeGroup}. */
    long writeRetained(RetainedEntry entry, long position, long released) throws IOException {
        int fragmentBytes = Reservations.maxCopiedBytes(config);
        int payloadBytes = entry.payload().readableBytes();
        long written = 0;
        int from = 0;
        do { // an entry without payload is one block, too
            int bytes = Math.min(fragmentBytes, payloadBytes - from);
            boolean first = from == 0;
            boolean last = from + bytes == payloadBytes;
            GroupBuffer block = staging();
            block.putFragment(entry, part(first, last), from, bytes);
            block.account(entry.endPosition(), 0);
            switchFileIfFull(block.paddedBytes(), position, first ? 0 : entry.endPosition(), released);
            written += write(block, entry.firstArrivalNanos(), position, released, (byte) 0);
            from += bytes;
        } while (from < payloadBytes);
        return written;
    }

    /** Writes a block without entries, out of the room kept for such blocks. */
    void writeControl(long position, long released, byte flags) throws IOException {
        GroupBuffer block = staging();
        ByteBuffer bytes = block.seal(files.generation(), nextSequence, position, released, flags);
        int padded = bytes.remaining();
        files.write(bytes, position);
        files.advance(padded, true);
        nextSequence++;
    }

    /** Gives its memory back; nothing is written any more. */
    void release() {
        staging.release();
    }

    private static byte part(boolean first, boolean last) {
        if (first) {
            return last ? JournalFormat.PART_WHOLE : JournalFormat.PART_FIRST;
        }
        return last ? JournalFormat.PART_LAST : JournalFormat.PART_MIDDLE;
    }

    private GroupBuffer staging() {
        staging.clear();
        return staging;
    }

    private void switchFileIfFull(int paddedBytes, long position, long continuedEntryEnd, long released)
            throws IOException {
        if (!files.hasRoomFor(paddedBytes)) {
            files.switchFile(nextSequence, position, continuedEntryEnd, released);
            files.spares().wantOne(clock.nanoTime());
        }
    }

    private long write(GroupBuffer group, long arrivalNanos, long position, long released, byte flags)
            throws IOException {
        ByteBuffer bytes = group.seal(files.generation(), nextSequence, position, released, flags);
        int padded = bytes.remaining();
        long startNanos = clock.nanoTime();
        files.write(bytes, group.endPosition());
        long endNanos = clock.nanoTime();
        files.advance(padded, false);
        nextSequence++;
        lastWriteStartNanos = startNanos;
        pacing.onFlush(endNanos - startNanos, pacing.wantsCpuTime() ? cpuNanos.getAsLong() : -1);
        flushTime.observe(endNanos - startNanos);
        groupWait.observe(Math.max(0, startNanos - arrivalNanos));
        groupBytes.observe(padded);
        return padded;
    }
}
