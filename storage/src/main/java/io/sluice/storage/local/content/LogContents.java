package io.sluice.storage.local.content;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.local.aborted.AbortedChunk;
import io.sluice.storage.local.aborted.AbortedChunks;
import io.sluice.storage.local.aborted.AbortedTransactions;
import io.sluice.storage.local.aborted.ChunkCache;
import io.sluice.storage.local.producer.ProducerLimit;
import io.sluice.storage.local.producer.ProducerStates;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentName;
import io.sluice.storage.local.segment.SegmentState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Segments, producers, epochs and offsets of one log, kept in step.
 *
 * <p>In the catalogue it is two things that change at different times: what is small and known without forcing a segment
 * ({@link #writeMeta}), and what is true once the segments are forced ({@link #writeData}). The journal brings a log from
 * there to where it was.
 */
public final class LogContents {
    private static final Segment[] NO_SEGMENTS = {};
    private static final byte MEMORY_FLAG = 1;

    private final LogIdentity identity;
    private final LogDirectory directory;
    private final OpenFiles openFiles;
    private final ProducerStates producers;
    private final AbortedChunks abortedChunks;
    private final EpochCache epochs = new EpochCache();
    private volatile Segment[] segments = NO_SEGMENTS;
    private volatile long logStartOffset;
    private volatile long endOffset;
    private volatile long cleanedUpTo;
    private volatile boolean memory;

    /**
     * An empty log.
     *
     * @param producerLimit how many idempotent producers it remembers
     * @param chunkCache of aborted transactions that were read from files
     */
    public LogContents(
            LogIdentity identity,
            LogDirectory directory,
            OpenFiles openFiles,
            ProducerLimit producerLimit,
            ChunkCache chunkCache) {
        this.producers = new ProducerStates(producerLimit, chunkCache.blockEntries());
        this.abortedChunks = new AbortedChunks(directory, chunkCache);
        this.identity = identity;
        this.directory = directory;
        this.openFiles = openFiles;
    }

    /** Which log it is. */
    public LogIdentity identity() {
        return identity;
    }

    /** Where its files are. */
    public LogDirectory directory() {
        return directory;
    }

    /** Its producers; for the holder of the append lock. */
    public ProducerStates producers() {
        return producers;
    }

    /** Its aborted transactions; who changes them holds the append lock. */
    public AbortedTransactions aborted() {
        return producers.transactions().aborted();
    }

    /** Files that hold aborted transactions of it. */
    public AbortedChunks abortedChunks() {
        return abortedChunks;
    }

    /** Its leader epochs. */
    public EpochCache epochs() {
        return epochs;
    }

    /** First offset that can be read. */
    public long logStartOffset() {
        return logStartOffset;
    }

    /** Next offset to be appended. */
    public long endOffset() {
        return endOffset;
    }

    /** Everything below has been through the cleaner. */
    public long cleanedUpTo() {
        return cleanedUpTo;
    }

    /**
     * The cleaner has been through everything below, for the holder of the append lock: nothing is left of the data of
     * transactions that were aborted there. Their markers are, until the next cleaning.
     */
    public void setCleanedUpTo(long offset) {
        cleanedUpTo = offset;
        aborted().forgetBelow(offset);
    }

    /** Whether records bypassed the journal when this was last noted: after a crash the tail has to be scanned. */
    public boolean memory() {
        return memory;
    }

    /** Notes whether records bypass the journal. */
    public void setMemory(boolean bypasses) {
        memory = bypasses;
    }

    /** Segments in the order of their offsets. A snapshot: do not change it. */
    @SuppressWarnings("EI_EXPOSE_REP") // a copy at every fetch would cost; nobody changes it
    public Segment[] segments() {
        return segments;
    }

    /** The segment that is appended to, or null before the first append. */
    public @Nullable Segment active() {
        Segment[] current = segments;
        return current.length == 0 ? null : current[current.length - 1];
    }

    /** Bytes of all segments. */
    public long sizeInBytes() {
        long total = 0;
        for (Segment segment : segments) {
            total += segment.sizeBytes();
        }
        return total;
    }

    /** Damaged and missing places that are not served. */
    public int quarantinedRanges() {
        int total = 0;
        for (Segment segment : segments) {
            total += segment.quarantine().size() + (segment.loss() == null ? 0 : 1);
        }
        return total + lostChunks().size();
    }

    /** Files of aborted transactions that are known to be missing or damaged. */
    public List<AbortedChunk> lostChunks() {
        List<AbortedChunk> lost = new ArrayList<>(0);
        for (AbortedChunk chunk : aborted().chunks()) {
            if (chunk.loss() != null) {
                lost.add(chunk);
            }
        }
        return lost;
    }

    /**
     * Compares the catalogue's segments with their files. What is missing may have been deleted behind a log start that only
     * the journal knows. Where it is the end that is missing, the log goes on in another segment, so that each
     * segment lacks its end or nothing, and the next start finds the same again.
     *
     * @return whether such a segment began
     */
    boolean findLosses(int indexIntervalBytes) throws IOException {
        for (Segment segment : segments) {
            segment.findLoss();
        }
        for (AbortedChunk chunk : aborted().chunks()) {
            abortedChunks.findLoss(chunk);
        }
        Segment last = active();
        if (last == null || last.loss() == null) {
            return false;
        }
        rollAgain(indexIntervalBytes);
        return true;
    }

    /** Index of the segment that holds an offset, or would; -1 below the first. */
    public static int floor(Segment[] segments, long offset) {
        int low = 0;
        int high = segments.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (segments[middle].baseOffset() <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** Begins a segment at the end offset. */
    public Segment roll(int indexIntervalBytes) {
        Segment last = active();
        if (last != null && last.sizeBytes() == 0) {
            return last;
        }
        return add(Segment.begin(directory, openFiles, new SegmentName(endOffset, 0), indexIntervalBytes));
    }

    /** Begins a segment at the end offset, as {@link #roll} did in a run before. */
    Segment rollAgain(int indexIntervalBytes) {
        Segment last = active();
        if (last != null && last.sizeBytes() == 0) {
            return last;
        }
        return add(Segment.replayed(directory, openFiles, new SegmentName(endOffset, 0), indexIntervalBytes));
    }

    private Segment add(Segment segment) {
        Segment before = active();
        if (before != null) {
            before.setEnded(true);
        }
        Segment[] more = Arrays.copyOf(segments, segments.length + 1);
        more[more.length - 1] = segment;
        segments = more;
        return segment;
    }

    /** Begins a segment at the end offset whose file is there already, written before a crash. */
    Segment rollOntoExisting(int indexIntervalBytes) {
        return add(Segment.leftover(directory, openFiles, new SegmentName(endOffset, 0), indexIntervalBytes));
    }

    /** Takes back {@link #roll} while the segment is empty. */
    public void undoRoll() {
        Segment last = active();
        if (last != null && last.sizeBytes() == 0) {
            segments = Arrays.copyOf(segments, segments.length - 1);
            last = active();
        }
        if (last != null) {
            last.setEnded(false);
        }
    }

    /**
     * Puts a batch at the end of the active segment, which must exist, and takes note of it.
     *
     * @param bytes readable bytes are the batch, with its final offsets
     * @throws IOException nothing has changed
     */
    public void append(ByteBuf bytes, BatchView batch, long nowMillis) throws IOException {
        Segment active = active();
        if (active == null) {
            throw new IllegalStateException(identity.displayName() + " has no segment yet");
        }
        active.append(bytes, batch);
        onPlaced(active, batch, nowMillis);
    }

    /** Puts a batch at the end of the active segment during recovery. */
    void replay(Segment active, ByteBuf bytes, BatchView batch, long nowMillis) throws IOException {
        active.replay(bytes, batch);
        onPlaced(active, batch, nowMillis);
    }

    /** Takes note of a batch that is in the active segment's file already. */
    void adopt(Segment active, BatchView batch, int size, long nowMillis) {
        active.adopt(batch, size);
        onPlaced(active, batch, nowMillis);
    }

    private void onPlaced(Segment active, BatchView batch, long nowMillis) {
        active.onAppended(nowMillis);
        producers.apply(batch, nowMillis);
        endOffset = batch.nextOffset();
    }

    /**
     * Moves the log start offset up.
     *
     * @return the segments that lie wholly below and are no longer part of the log; their files are still there
     */
    public List<Segment> onLogStart(long offset) {
        if (offset <= logStartOffset) {
            return List.of();
        }
        logStartOffset = offset;
        epochs.onLogStart(offset);
        aborted().forgetBelow(offset);
        return dropBelow(offset);
    }

    private List<Segment> dropBelow(long offset) {
        Segment[] current = segments;
        int dropped = 0;
        while (dropped < current.length - 1 && current[dropped].nextOffset() <= offset) {
            dropped++;
        }
        if (dropped == 0) {
            return List.of();
        }
        segments = Arrays.copyOfRange(current, dropped, current.length);
        return List.of(Arrays.copyOf(current, dropped));
    }

    /**
     * Puts rewritten segments in the place of the ones they were made from, which must be neighbours.
     *
     * @return false if the old ones are not all part of the log any more: nothing has changed
     */
    public boolean replace(List<Segment> old, List<Segment> rewritten) {
        List<Segment> all = new ArrayList<>(Arrays.asList(segments));
        int at = all.indexOf(old.get(0));
        if (at < 0
                || at + old.size() >= all.size()
                || !all.subList(at, at + old.size()).equals(old)) {
            return false;
        }
        all.subList(at, at + old.size()).clear();
        all.addAll(at, rewritten);
        rewritten.forEach(segment -> segment.setEnded(true));
        segments = all.toArray(Segment[]::new);
        return true;
    }

    /** Writes what needs no forced segment; docs/formats/catalogue.md has the layout. */
    public void writeMeta(ByteBuf out) {
        identity.writeTo(out);
        out.writeByte(memory ? MEMORY_FLAG : 0).writeLong(logStartOffset);
        epochs.writeTo(out);
    }

    /** Reads the part of {@link #writeMeta} behind the identity. */
    void readMeta(ByteBuf in) {
        memory = (in.readByte() & MEMORY_FLAG) != 0;
        long start = in.readLong();
        epochs.readFrom(in);
        logStartOffset = start;
    }

    /** Takes over what {@link #readMeta} has read elsewhere. */
    void takeMetaFrom(LogContents other) {
        memory = other.memory;
        logStartOffset = other.logStartOffset;
        epochs.takeFrom(other.epochs);
    }

    /** Writes what is true once all segments are forced up to their present size. */
    public void writeData(ByteBuf out) {
        Segment[] listed = segments;
        out.writeLong(endOffset).writeLong(cleanedUpTo).writeInt(listed.length);
        for (Segment segment : listed) {
            segment.state().writeTo(out);
        }
        producers.writeTo(out);
    }

    /** How many bytes {@link #writeData} writes. */
    public int dataBytes() {
        return 2 * Long.BYTES + Integer.BYTES + segments.length * SegmentState.BYTES + producers.sizeInBytes();
    }

    /**
     * Reads into an empty log what {@link #writeData} wrote.
     *
     * @param withChunks whether files of aborted transactions are named, as in all but records of catalogues of format 2
     */
    void readData(ByteBuf in, boolean withChunks) {
        endOffset = in.readLong();
        cleanedUpTo = in.readLong();
        int count = in.readInt();
        Segment[] read = new Segment[count];
        for (int i = 0; i < count; i++) {
            read[i] = Segment.existing(directory, openFiles, SegmentState.readFrom(in));
            read[i].setEnded(i < count - 1);
        }
        segments = read;
        producers.readFrom(in, abortedChunks, withChunks);
        aborted().forgetBelow(cleanedUpTo);
    }

    /**
     * After everything was recovered: leaves out what the log start offset has passed. Where it has passed the end, because
     * records below that were never durable are lost, the log goes on empty from there.
     *
     * @return segments that are no longer part of the log; their files are still there
     */
    public List<Segment> settle() {
        aborted().forgetBelow(logStartOffset);
        if (endOffset >= logStartOffset) {
            return dropBelow(logStartOffset);
        }
        return restartAt(logStartOffset);
    }

    /** Goes on empty from an offset; returns the segments that are no longer part of the log. */
    List<Segment> restartAt(long offset) {
        List<Segment> all = List.of(segments);
        segments = NO_SEGMENTS;
        endOffset = offset;
        return all;
    }

    @Override
    public String toString() {
        return "LogContents(" + identity.displayName() + " #" + identity.logId() + ", offsets " + logStartOffset + ".."
                + endOffset + ", " + segments.length + " segments)";
    }

    /**
     * Removes what earlier runs left behind the end, for the holder of the append lock: before batches bypass the journal,
     * because a scan would take it for more of the log. {@link #forceEnd} makes it last.
     *
     * @return the segment that was cut, or null where there is none
     */
    public @Nullable Segment cutBehindEnd() throws IOException {
        for (SegmentName name : directory.segmentNames()) {
            boolean listed =
                    Arrays.stream(segments()).anyMatch(segment -> segment.name().equals(name));
            if (!listed && name.version() == 0 && name.baseOffset() >= endOffset()) {
                SetAsideSegments.deleteUnlessKept(directory, name);
            }
        }
        Segment last = active();
        if (last != null) {
            last.cutTail();
        }
        return last;
    }

    /**
     * Makes durable where the log ended, also where it ended in no segment, or in one without a file. Another segment may
     * have begun meanwhile.
     *
     * @param last what {@link #cutBehindEnd} has returned
     */
    public void forceEnd(@Nullable Segment last) throws IOException {
        if (last == null) {
            directory.forceNamesIfMade();
        } else {
            last.forceEnd();
        }
    }
}
