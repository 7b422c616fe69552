package io.sluice.storage.local.cleaner;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.MalformedBatchException;
import io.sluice.protocol.record.RecordCursor;
import io.sluice.storage.config.TopicConfig;
import io.sluice.storage.local.aborted.AbortedView;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * One cleaning of one log: reads the segments between the last cleaning and the end offset given, notes the newest offset
 * of each key as far as the map has room, then writes all segments up to there anew, in groups that fit into one segment.
 * Where the map is full it may end inside a segment and inside a batch: what lies behind stays as it is, and is the next
 * cleaning's. Nothing of the log is changed here: {@link Target#replace} does that. For one thread.
 */
public final class LogCleaning {
    /** Forced in small parts: whoever waits for the journal waits behind no long write. */
    private static final int FORCE_BYTES = 256 << 10;

    private static final long NONE = -1;

    private final LogContents contents;
    private final TopicConfig config;
    private final ByteBufAllocator allocator;
    private final BooleanSupplier stopped;
    private final int keyMapBytes;
    private final Target target;
    private final KeptTransactions transactions = new KeptTransactions();
    private int keyCount;
    private AbortedView aborted = AbortedView.NONE;
    private long mapEndOffset;
    /** Of the batch at hand, the first record whose key the map had no room for. */
    private long firstLeftOut = NONE;

    /** Puts rewritten segments in the place of old ones. */
    public interface Target {
        /**
         * Puts segments in place.
         *
         * @param old neighbours
         * @param rewritten what was made of them; empty where nothing stays
         * @return false if the old ones are no longer part of the log: nothing has changed
         */
        boolean replace(List<Segment> old, List<Segment> rewritten);

        /**
         * A batch with a sound CRC whose records cannot be read stays whole, and is no reason to remove an older record.
         * Heard of each time that it is met.
         *
         * @param position in the segment
         * @param offset its first
         */
        void onUnreadable(Segment segment, int position, long offset, MalformedBatchException why);

        /** So many bytes more were read. */
        void onRead(int bytes);

        /** So many bytes more were written. */
        void onWritten(int bytes);
    }

    /**
     * A cleaning.
     *
     * @param allocator gives buffers of the size of the largest batch
     * @param keyMapBytes memory that keys may take at most
     * @param stopped looked at between batches; true ends the cleaning
     * @param target puts what was written in place
     */
    public LogCleaning(
            LogContents contents,
            TopicConfig config,
            ByteBufAllocator allocator,
            int keyMapBytes,
            BooleanSupplier stopped,
            Target target) {
        this.contents = contents;
        this.target = target;
        this.config = config;
        this.allocator = allocator;
        this.stopped = stopped;
        this.keyMapBytes = keyMapBytes;
    }

    /** Keys in the map when the cleaning began to write. */
    public int keyCount() {
        return keyCount;
    }

    /** Whether the map was full: more keys come behind the offset that the cleaning has reached. */
    public boolean isMapFull() {
        return firstLeftOut != NONE;
    }

    /**
     * Cleans.
     *
     * @param segments those that may be cleaned, at least one, in order, none of them appended to
     * @param nowMillis on the clock of ages
     * @return the offset up to which the log is clean now
     * @throws IOException if the disk fails or a batch is damaged; what was replaced stays replaced
     * @throws io.sluice.base.memory.MemoryExhaustedException where there is no memory for keys or a batch
     */
    public long run(List<Segment> segments, long nowMillis) throws IOException {
        mapEndOffset = contents.cleanedUpTo();
        aborted = contents.aborted().view();
        long cleanableEnd = segments.get(segments.size() - 1).nextOffset();
        long newRecords = Math.max(0, cleanableEnd - Math.max(mapEndOffset, contents.logStartOffset()));
        try (KeyMap keys = new KeyMap(allocator, keyMapBytes, newRecords)) {
            buildMap(segments, keys);
            keyCount = keys.size();
            return clean(segments, cleanableEnd, keys, nowMillis);
        }
    }

    private long clean(List<Segment> segments, long cleanableEnd, KeyMap keys, long nowMillis) throws IOException {
        CleaningRules rules = new CleaningRules(
                keys,
                mapEndOffset,
                cleanableEnd,
                contents.cleanedUpTo(),
                aborted,
                nowMillis,
                config.deleteRetentionMillis());
        List<Segment> covered = new ArrayList<>();
        for (Segment segment : segments) {
            if (segment.baseOffset() < mapEndOffset) {
                covered.add(segment);
            }
        }
        long cleaned = contents.cleanedUpTo();
        for (List<Segment> group : groups(covered)) {
            if (!cleanGroup(group, rules)) {
                return cleaned;
            }
        }
        return Math.max(cleaned, mapEndOffset);
    }

    /** Notes keys until the map is full. */
    private void buildMap(List<Segment> segments, KeyMap keys) throws IOException {
        boolean more = true;
        for (int i = 0; more && i < segments.size(); i++) {
            Segment segment = segments.get(i);
            if (segment.nextOffset() > contents.cleanedUpTo()) {
                more = noteKeys(segment, keys);
                mapEndOffset = more ? segment.nextOffset() : mapEndOffset;
            }
        }
    }

    private boolean noteKeys(Segment segment, KeyMap keys) throws IOException {
        try (CleaningSource source = new CleaningSource(segment, allocator);
                RecordCursor cursor = new RecordCursor()) {
            while (source.next()) {
                if (stopped.getAsBoolean()) {
                    return false;
                }
                BatchView batch = source.batch();
                target.onRead(source.bytes().readableBytes());
                firstLeftOut = NONE;
                if (batch.nextOffset() > contents.cleanedUpTo() && hasKeys(batch)) {
                    noteKeys(segment, source, cursor, keys);
                }
                if (firstLeftOut != NONE) {
                    mapEndOffset = Math.max(mapEndOffset, firstLeftOut);
                    return false;
                }
                mapEndOffset = Math.max(mapEndOffset, batch.nextOffset());
            }
        }
        return true;
    }

    private boolean hasKeys(BatchView batch) throws IOException {
        return !batch.isControl()
                && !(batch.isTransactional() && aborted.isAborted(batch.producerId(), batch.baseOffset()));
    }

    /** The keys of a batch as far as there is room, or none where it cannot be read. */
    private void noteKeys(Segment segment, CleaningSource source, RecordCursor cursor, KeyMap keys) {
        keys.mark();
        try {
            noteKeys(cursor.open(source.batch()), keys);
        } catch (MalformedBatchException e) {
            keys.undo();
            firstLeftOut = NONE;
            target.onUnreadable(segment, source.position(), source.batch().baseOffset(), e);
        }
    }

    /** Reads on behind the first key that finds no room: whether the batch can be read shows at its end. */
    private void noteKeys(RecordCursor records, KeyMap keys) {
        while (records.next()) {
            boolean wanted =
                    firstLeftOut == NONE && records.keyLength() >= 0 && records.offset() >= contents.cleanedUpTo();
            if (wanted && !keys.put(records.bytes(), records.keyIndex(), records.keyLength(), records.offset())) {
                firstLeftOut = records.offset();
            }
        }
    }

    /** Neighbours that fit together into one segment. */
    private List<List<Segment>> groups(List<Segment> segments) {
        List<List<Segment>> groups = new ArrayList<>();
        List<Segment> group = new ArrayList<>();
        long bytes = 0;
        for (Segment segment : segments) {
            boolean fits = bytes + segment.sizeBytes() <= config.segmentBytes()
                    && !group.isEmpty()
                    && segment.nextOffset() - group.get(0).baseOffset() <= Integer.MAX_VALUE;
            if (!fits && !group.isEmpty()) {
                groups.add(group);
                group = new ArrayList<>();
                bytes = 0;
            }
            group.add(segment);
            bytes += segment.sizeBytes();
        }
        if (!group.isEmpty()) {
            groups.add(group);
        }
        return groups;
    }

    private boolean cleanGroup(List<Segment> group, CleaningRules rules) throws IOException {
        int version = 1;
        for (Segment segment : group) {
            version = Math.max(version, segment.name().version() + 1);
        }
        SegmentName name = new SegmentName(group.get(0).baseOffset(), version);
        Segment rewritten =
                Segment.begin(contents.directory(), group.get(0).openFiles(), name, config.indexIntervalBytes());
        boolean placed = false;
        try {
            if (!rewrite(group, rules, rewritten)) {
                return false;
            }
            Segment last = group.get(group.size() - 1);
            rewritten.extendTo(last.nextOffset());
            rewritten.onAppended(last.lastAppendMillis());
            rewritten.onForced(rewritten.force());
            rewritten.onEnded();
            placed = target.replace(group, rewritten.sizeBytes() == 0 ? List.of() : List.of(rewritten));
            return placed;
        } finally {
            if (!placed) {
                rewritten.delete();
            }
        }
    }

    private boolean rewrite(List<Segment> group, CleaningRules rules, Segment rewritten) throws IOException {
        ByteBuf rebuilt = allocator.directBuffer();
        try {
            BatchCleaner cleaner = new BatchCleaner(rules, transactions, rebuilt);
            for (Segment segment : group) {
                if (!rewrite(segment, cleaner, rewritten)) {
                    return false;
                }
            }
            return true;
        } finally {
            rebuilt.release();
        }
    }

    private boolean rewrite(Segment segment, BatchCleaner cleaner, Segment rewritten) throws IOException {
        try (CleaningSource source = new CleaningSource(segment, allocator)) {
            BatchView view = new BatchView();
            while (source.next()) {
                if (stopped.getAsBoolean()) {
                    return false;
                }
                target.onRead(source.bytes().readableBytes());
                switch (cleaner.clean(source.batch())) {
                    case KEEP -> append(rewritten, source.bytes(), source.batch());
                    case KEEP_UNREADABLE -> {
                        target.onUnreadable(
                                segment, source.position(), source.batch().baseOffset(), cleaner.unreadable());
                        append(rewritten, source.bytes(), source.batch());
                    }
                    case REPLACE -> append(rewritten, cleaner.rebuilt(), view.wrap(cleaner.rebuilt()));
                    case DROP -> {
                        // its offsets become a gap
                    }
                }
            }
        }
        return true;
    }

    private void append(Segment rewritten, ByteBuf bytes, BatchView batch) throws IOException {
        target.onWritten(bytes.readableBytes());
        rewritten.append(bytes, batch);
        if (rewritten.sizeBytes() - rewritten.forcedBytes() >= FORCE_BYTES) {
            rewritten.onForced(rewritten.force());
        }
    }
}
