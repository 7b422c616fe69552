package io.sluice.cli.log;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.cli.output.Times;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.segment.BatchScanner;
import io.sluice.storage.local.segment.SegmentName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.function.Consumer;

/** Checks and tells the batches of one segment. For one thread. */
final class SegmentDump {
    private static final int CHUNK_BYTES = 64 << 10;
    private static final long UNKNOWN = -1;

    private final FileSystem files;
    private final ZoneId zone;
    private final boolean summary;
    private final Consumer<DumpLine> lines;
    private boolean foundDamage;
    /** Where the batch before ended; unknown behind a damaged one. */
    private long expectedOffset = UNKNOWN;

    private int lastEpoch = Integer.MIN_VALUE;

    SegmentDump(FileSystem files, ZoneId zone, boolean summary, Consumer<DumpLine> lines) {
        this.files = files;
        this.zone = zone;
        this.summary = summary;
        this.lines = lines;
    }

    /** Tells a segment; returns whether it is damaged. */
    boolean dump(Path path, SegmentName name) throws IOException {
        try (StorageFile file = files.open(path, FileSystem.Access.READ)) {
            int end = Math.toIntExact(file.size());
            lines.accept(DataDump.line(
                    "segment",
                    2,
                    "file",
                    path,
                    "baseOffset",
                    name.baseOffset(),
                    "version",
                    name.version(),
                    "bytes",
                    end));
            BatchScanner scanner = new BatchScanner(file, 0, end);
            long batches = 0;
            long records = 0;
            expectedOffset = name.baseOffset();
            while (scanner.next()) {
                batches++;
                records += scanner.batch().recordCount();
                dumpBatch(file, path, scanner, name.version() == 0);
            }
            lines.accept(DataDump.line(
                    "segment end", 3, "position", scanner.position(), "batches", batches, "records", records));
            if (scanner.isDamaged()) {
                dumpRest(file, path, scanner.position(), end);
            }
        }
        return foundDamage;
    }

    private void dumpBatch(StorageFile file, Path path, BatchScanner scanner, boolean asAppended) throws IOException {
        BatchView batch = scanner.batch();
        if (!summary) {
            lines.accept(DataDump.line(
                    "batch",
                    3,
                    "position",
                    scanner.position(),
                    "bytes",
                    batch.sizeInBytes(),
                    "baseOffset",
                    batch.baseOffset(),
                    "lastOffset",
                    batch.lastOffset(),
                    "records",
                    batch.recordCount(),
                    "leaderEpoch",
                    batch.leaderEpoch(),
                    "maxTimestamp",
                    time(batch.maxTimestamp()),
                    "codec",
                    String.valueOf(batch.codec()),
                    "producerId",
                    batch.producerId(),
                    "producerEpoch",
                    batch.producerEpoch(),
                    "baseSequence",
                    batch.baseSequence(),
                    "transactional",
                    batch.isTransactional(),
                    "control",
                    batch.isControl()));
        }
        if (!isValid(file, scanner.position(), scanner.nextPosition() - scanner.position())) {
            damage(path, scanner.position(), "the batch at offset " + batch.baseOffset() + " fails its checksum");
            expectedOffset = UNKNOWN;
            return;
        }
        checkPlace(path, scanner.position(), batch, asAppended);
    }

    /**
     * Checks what the checksum does not cover: offset and leader epoch.
     *
     * @param asAppended batches follow each other without gaps; cleaning leaves some
     */
    private void checkPlace(Path path, int position, BatchView batch, boolean asAppended) {
        long base = batch.baseOffset();
        boolean known = expectedOffset != UNKNOWN;
        boolean inPlace = !known || (asAppended ? base == expectedOffset : base >= expectedOffset);
        if (!inPlace) {
            damage(path, position, "a batch says offset " + base + " where " + expectedOffset + " follows");
        }
        if (batch.leaderEpoch() < lastEpoch) {
            damage(
                    path,
                    position,
                    "the batch at offset " + base + " says leader epoch " + batch.leaderEpoch() + ", the one before "
                            + lastEpoch);
        }
        lastEpoch = batch.leaderEpoch();
        expectedOffset = (inPlace ? base : expectedOffset) + batch.lastOffsetDelta() + 1;
    }

    private String time(long epochMillis) {
        return epochMillis < 0 ? "none" : Times.format(epochMillis, zone);
    }

    private static boolean isValid(StorageFile file, int position, int bytes) throws IOException {
        ByteBuffer whole = ByteBuffer.allocate(bytes);
        int read = file.read(whole, position);
        ByteBuf batch = Unpooled.wrappedBuffer(whole.array());
        return read == bytes && new BatchView().wrap(batch, 0).isCrcValid();
    }

    /** What is behind the last batch: room that was never used, or damage. */
    private void dumpRest(StorageFile file, Path path, int start, int end) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
        for (int at = start; at < end; at += CHUNK_BYTES) {
            chunk.clear().limit(Math.min(CHUNK_BYTES, end - at));
            file.read(chunk, at);
            chunk.flip();
            while (chunk.hasRemaining()) {
                if (chunk.get() != 0) {
                    damage(path, start, end - start + " bytes that are no whole batch");
                    return;
                }
            }
        }
        lines.accept(DataDump.line("unused", 3, "position", start, "bytes", end - start));
    }

    private void damage(Path path, int position, String what) {
        foundDamage = true;
        lines.accept(DataDump.line("damage", 3, "file", path, "position", position, "what", what));
    }
}
