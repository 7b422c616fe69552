package io.sluice.storage.local.content;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Recovers the end of a log that bypassed the journal: goes through what its files hold behind the last checkpoint, batch
 * by batch, and keeps what is sound and in order. The first batch that is not ends the log; what follows is cut. A
 * batch of another epoch than its offset has is left of an earlier end of the log that was lost. What is
 * kept is written again: after a failed force the page cache may hold bytes that it believes to be on the device.
 */
public final class TailScan {
    private static final int CHUNK_BYTES = 1 << 20;

    private final LogContents contents;
    private final OpenFiles openFiles;
    private final int indexIntervalBytes;
    private final long nowMillis;
    private final BatchView view = new BatchView();

    /** A scan of this log. */
    public TailScan(LogContents contents, OpenFiles openFiles, int indexIntervalBytes, long nowMillis) {
        this.contents = contents;
        this.openFiles = openFiles;
        this.indexIntervalBytes = indexIntervalBytes;
        this.nowMillis = nowMillis;
    }

    /**
     * Scans once everything else about the log is known, and removes the files behind its end.
     *
     * @return segments that are no longer part of the log; their files are still there
     */
    public List<Segment> run() throws IOException {
        long knownEnd = contents.endOffset();
        boolean endIsMissing = Arrays.stream(contents.segments())
                .anyMatch(segment -> segment.loss() != null
                        && segment.nextOffset() == knownEnd
                        && knownEnd > contents.logStartOffset());
        List<Segment> dropped = runDuringReplay();
        removeNotFound(knownEnd, dropped, endIsMissing);
        setAsideUnread();
        return dropped;
    }

    /**
     * Scans while the journal is replayed, and removes nothing: what follows may be of an epoch that the journal names only
     * later.
     *
     * @return segments that are no longer part of the log; their files are still there
     */
    List<Segment> runDuringReplay() throws IOException {
        Segment active = contents.active();
        if (active != null) {
            scan(active);
        }
        scanNextSegments();
        List<Segment> dropped = new ArrayList<>(skipToLogStart());
        scanNextSegments();
        dropped.addAll(contents.settle());
        return dropped;
    }

    /** A file that was set aside, was given its name back and does not go on where the log ends is not overwritten. */
    private void setAsideUnread() throws IOException {
        Segment last = contents.active();
        if (last == null
                || last.sizeBytes() > 0
                || contents.directory().fileSystem().sizeOf(last.file().path()) <= 0
                || !SetAsideSegments.isKept(contents.directory(), last.name())) {
            return;
        }
        openFiles.doom(last.file());
        contents.undoRoll();
        SetAsideSegments.setAside(contents.directory(), last.name());
        contents.directory().forceNames();
        contents.rollAgain(indexIntervalBytes);
    }

    private void scanNextSegments() throws IOException {
        while (nextSegmentExists()) {
            long start = contents.endOffset();
            Segment next = contents.rollOntoExisting(indexIntervalBytes);
            scan(next);
            if (contents.endOffset() == start) {
                break;
            }
        }
    }

    /** Files below the log start may be gone: the scan goes on with the last one that begins at or below it. */
    private List<Segment> skipToLogStart() throws IOException {
        long best = contents.endOffset();
        if (best >= contents.logStartOffset()) {
            return List.of();
        }
        for (SegmentName name : contents.directory().segmentNames()) {
            if (name.baseOffset() <= contents.logStartOffset()) {
                best = Math.max(best, name.baseOffset());
            }
        }
        return best > contents.endOffset() ? contents.restartAt(best) : List.of();
    }

    /**
     * Files behind the end that was known, and not part of what was found, hold what was lost with the ones before them: it
     * must not come back when the log has grown, or has lost its end again. Where somebody has taken the file before away,
     * they are set aside, and so are those that were before: it may be put back.
     */
    private void removeNotFound(long knownEnd, List<Segment> dropped, boolean setAside) throws IOException {
        boolean removed = false;
        for (SegmentName name : contents.directory().segmentNames()) {
            boolean found = Stream.concat(Arrays.stream(contents.segments()), dropped.stream())
                    .anyMatch(segment -> segment.name().equals(name));
            if (!found && name.baseOffset() >= knownEnd) {
                if (setAside) {
                    SetAsideSegments.setAside(contents.directory(), name);
                } else {
                    SetAsideSegments.deleteUnlessKept(contents.directory(), name);
                }
                removed = true;
            }
        }
        if (removed) {
            contents.directory().forceNames();
        }
    }

    private boolean nextSegmentExists() throws IOException {
        FileSystem fileSystem = contents.directory().fileSystem();
        Segment active = contents.active();
        if (active != null && active.sizeBytes() == 0) {
            return false;
        }
        String name = new SegmentName(contents.endOffset(), 0).fileName();
        return fileSystem.exists(contents.directory().resolve(name));
    }

    private void scan(Segment segment) throws IOException {
        if (!contents.directory().fileSystem().exists(segment.file().path())) {
            return;
        }
        StorageFile file = openFiles.acquire(segment.file());
        try {
            long size = Math.min(Integer.MAX_VALUE, file.size());
            ByteBuffer chunk =
                    ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, Math.max(1, size - segment.sizeBytes())));
            boolean more = true;
            while (more && segment.sizeBytes() < size) {
                chunk = scanChunk(segment, file, size, chunk);
                more = chunk.capacity() > 1;
            }
        } finally {
            openFiles.release(segment.file());
        }
    }

    /** Adopts what one chunk holds. Returns the chunk to go on with; one of a single byte where the log ends. */
    private ByteBuffer scanChunk(Segment segment, StorageFile file, long size, ByteBuffer chunk) throws IOException {
        int start = segment.sizeBytes();
        chunk.clear();
        int count = file.read(chunk, start);
        ByteBuf bytes = Unpooled.wrappedBuffer(chunk.clear());
        int at = 0;
        while (BatchView.isWholeAt(bytes, at, count) && isNext(bytes, at)) {
            int length = view.sizeInBytes();
            contents.adopt(segment, view, length, nowMillis);
            at += length;
        }
        if (at > 0) {
            file.write(chunk.clear().limit(at), start);
            return chunk;
        }
        long wanted = BatchView.sizeAt(bytes, 0, count);
        boolean larger = wanted > count && wanted <= size - start && count >= BatchView.HEADER_BYTES;
        return larger && isNextHeader(bytes, 0) && adoptLarge(segment, file, (int) wanted)
                ? chunk
                : ByteBuffer.allocate(1);
    }

    /**
     * Adopts the batch whose header the view is at, if it is sound: piece by piece, because so far only its header says how
     * large it is.
     */
    private boolean adoptLarge(Segment segment, StorageFile file, int length) throws IOException {
        int start = segment.sizeBytes();
        ByteBuffer piece = ByteBuffer.allocate(CHUNK_BYTES);
        if (view.isControl() || !isSound(file, start, length, piece)) {
            return false;
        }
        for (int at = 0; at < length; at += piece.limit()) {
            readPiece(file, start + at, length - at, piece);
            file.write(piece.duplicate(), start + at);
        }
        contents.adopt(segment, view, length, nowMillis);
        return true;
    }

    private boolean isSound(StorageFile file, int start, int length, ByteBuffer piece) throws IOException {
        CRC32C crc = new CRC32C();
        for (int at = 0; at < length; at += piece.limit()) {
            readPiece(file, start + at, length - at, piece);
            crc.update(at == 0 ? piece.duplicate().position(BatchView.CRC_FROM) : piece.duplicate());
        }
        return crc.getValue() == view.crc();
    }

    private static void readPiece(StorageFile file, int position, int left, ByteBuffer piece) throws IOException {
        piece.clear().limit(Math.min(piece.capacity(), left));
        if (file.read(piece, position) < piece.limit()) {
            throw new IOException(file.path() + " has become shorter while it was read");
        }
        piece.flip();
    }

    private boolean isNext(ByteBuf bytes, int at) {
        return isNextHeader(bytes, at) && view.isCrcValid();
    }

    private boolean isNextHeader(ByteBuf bytes, int at) {
        view.wrap(bytes, at);
        long base = view.baseOffset();
        int epoch = contents.epochs().epochAt(base);
        return base == contents.endOffset()
                && view.lastOffsetDelta() >= 0
                && (epoch < 0 || epoch == view.leaderEpoch());
    }
}
