package io.sluice.storage.local.content;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.journal.JournalDamagedException;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.journal.JournalRecovery;
import io.sluice.storage.local.aborted.ChunkCache;
import io.sluice.storage.local.producer.ProducerLimit;
import io.sluice.storage.local.segment.DurableStep;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.local.segment.Segment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one recovery routine: the catalogue's records of each log, then the journal's entries behind them. A log that is in
 * neither does not exist. Entries that the records know already change nothing. For one thread.
 */
public final class LogRecovery implements Catalogue.Visitor, JournalRecovery.EntryVisitor {
    private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);
    private static final int INDEX_INTERVAL_BYTES = 4096;

    private final DurableStep durable;
    private final Path logsDirectory;
    private final OpenFiles openFiles;
    private final ProducerLimit producerLimit;
    private final ChunkCache chunkCache;
    private final long nowMillis;
    private final Long2ObjectHashMap<RecoveredLog> logs = new Long2ObjectHashMap<>();
    private final BatchView view = new BatchView();
    private final List<Long> deleted = new ArrayList<>();
    private long replayedBytes;

    /**
     * A recovery.
     *
     * @param logsDirectory holds one directory for each log
     * @param producerLimit how many idempotent producers are remembered
     * @param chunkCache of aborted transactions that were read from files
     * @param nowMillis when producers replayed were heard of last
     */
    public LogRecovery(
            FileSystem fileSystem,
            Path logsDirectory,
            OpenFiles openFiles,
            ProducerLimit producerLimit,
            ChunkCache chunkCache,
            long nowMillis) {
        this.producerLimit = producerLimit;
        this.chunkCache = chunkCache;
        this.durable = new DurableStep(fileSystem);
        this.logsDirectory = logsDirectory;
        this.openFiles = openFiles;
        this.nowMillis = nowMillis;
    }

    /** How the files of the logs become durable. */
    public DurableStep durable() {
        return durable;
    }

    /** The logs recovered so far. */
    public Collection<RecoveredLog> logs() {
        return logs.values();
    }

    /** Bytes of batches that were replayed into segments. */
    public long replayedBytes() {
        return replayedBytes;
    }

    /** A log by its number, or null. */
    public @Nullable RecoveredLog find(long logId) {
        return logs.get(logId);
    }

    @Override
    public void onRecord(Catalogue.Kind kind, long logId, ByteBuf body) {
        switch (kind) {
            case META -> onMeta(LogIdentity.readFrom(logId, body), body);
            case DATA -> onData(logId, body, true);
            case DATA_WITHOUT_CHUNKS -> onData(logId, body, false);
            case DELETED -> forget(logId);
            case JOURNAL -> throw new IllegalArgumentException("the catalogue keeps a record of no log to itself");
        }
    }

    private void onMeta(LogIdentity identity, ByteBuf body) {
        obtain(identity).contents().readMeta(body);
    }

    /** A newer data record replaces what an older one said; what the newest meta record said stays. */
    private void onData(long logId, ByteBuf body, boolean withChunks) {
        RecoveredLog known = logs.get(logId);
        if (known == null) {
            LOG.warn("catalogue holds data of a log without its identity logId={}", logId);
            return;
        }
        LogContents fresh = newContents(known.contents().identity());
        fresh.takeMetaFrom(known.contents());
        known.contents().producers().clear();
        fresh.readData(body, withChunks);
        logs.put(logId, new RecoveredLog(fresh));
        maybeTrimProducers();
    }

    private void forget(long logId) {
        RecoveredLog gone = logs.remove(logId);
        if (gone != null) {
            gone.contents().producers().clear();
        }
    }

    /** The bound may be lower than in the run before. */
    private void maybeTrimProducers() {
        if (producerLimit.isTrimDue()) {
            new IdleProducers(
                            producerLimit,
                            logs.values().stream().map(RecoveredLog::contents).toList())
                    .trim(nowMillis);
        }
    }

    /** Everything of the catalogue has been read: the journal follows. */
    public void onCatalogueRead() throws IOException {
        for (RecoveredLog log : logs.values()) {
            if (log.contents().findLosses(INDEX_INTERVAL_BYTES)) {
                log.onRolled(false);
            }
            log.setAnchor();
        }
    }

    /** Numbers of the logs of which segments hold records. */
    public Set<Long> logsWithRecords() {
        Set<Long> found = new HashSet<>();
        for (RecoveredLog log : logs.values()) {
            if (log.contents().sizeInBytes() > 0) {
                found.add(log.contents().identity().logId());
            }
        }
        return found;
    }

    private RecoveredLog obtain(LogIdentity identity) {
        RecoveredLog known = logs.get(identity.logId());
        if (known == null) {
            known = new RecoveredLog(newContents(identity));
            logs.put(identity.logId(), known);
        }
        return known;
    }

    /** An empty log. */
    public LogContents newContents(LogIdentity identity) {
        Path path = logsDirectory.resolve(identity.directoryName());
        return new LogContents(identity, new LogDirectory(durable, path), openFiles, producerLimit, chunkCache);
    }

    @Override
    public void onEntry(JournalEntryKind kind, long logId, long argument, ByteBuf payload, long endPosition)
            throws IOException {
        if (kind == JournalEntryKind.LEADER_EPOCH) {
            onEpoch(logId, (int) argument, payload);
            return;
        }
        RecoveredLog log = logs.get(logId);
        if (log == null) {
            return;
        }
        switch (kind) {
            case BATCH -> onBatch(log, argument, payload);
            case SEGMENT -> onSegment(log, argument);
            case LOG_START_OFFSET -> onLogStart(log, argument);
            case DELETE -> onDelete(log);
            case TRUNCATE, LEADER_EPOCH ->
                throw new IOException("the journal holds an entry " + kind + " that this engine does not write");
        }
    }

    private void onEpoch(long logId, int epoch, ByteBuf payload) {
        long start = payload.readLong();
        boolean memory = payload.readByte() != 0;
        RecoveredLog log = obtain(LogIdentity.readFrom(logId, payload));
        LogContents contents = log.contents();
        if (epoch > contents.epochs().latest()) {
            contents.epochs().onEpoch(epoch, start);
        }
        contents.setMemory(memory);
        log.onMetaReplayed();
    }

    /** Writes what {@link #onEpoch} reads. */
    public static void writeEpochPayload(LogContents contents, long startOffset, boolean memory, ByteBuf out) {
        out.writeLong(startOffset).writeByte(memory ? 1 : 0);
        contents.identity().writeTo(out);
    }

    private void onBatch(RecoveredLog log, long baseOffset, ByteBuf payload) throws IOException {
        LogContents contents = log.contents();
        if (isOfALostEnd(contents, baseOffset, payload)) {
            return;
        }
        if (baseOffset > contents.endOffset() && contents.memory() && log.isSearchDue()) {
            log.dropped().addAll(new TailScan(contents, openFiles, INDEX_INTERVAL_BYTES, nowMillis).runDuringReplay());
            log.onSearched();
        }
        if (baseOffset < contents.endOffset()) {
            return;
        }
        if (baseOffset > contents.endOffset()) {
            log.onGap(baseOffset);
            return;
        }
        Segment active = contents.active();
        if (active == null) {
            active = contents.rollAgain(INDEX_INTERVAL_BYTES);
        }
        contents.replay(active, payload, view.wrap(payload), nowMillis);
        log.onDataReplayed();
        maybeTrimProducers();
        replayedBytes += payload.readableBytes();
    }

    /**
     * Whether a batch came behind others that bypassed the journal and were lost: the log has gone on in their place under a
     * later epoch, which the catalogue may know before the journal comes to it. What it holds since must not be followed by
     * the batch, nor yield its place to it.
     */
    private boolean isOfALostEnd(LogContents contents, long baseOffset, ByteBuf payload) {
        return view.wrap(payload).leaderEpoch() < contents.epochs().epochAt(baseOffset);
    }

    private static void onSegment(RecoveredLog log, long baseOffset) {
        LogContents contents = log.contents();
        if (baseOffset == contents.endOffset()) {
            boolean first = contents.active() == null;
            contents.rollAgain(INDEX_INTERVAL_BYTES);
            log.onRolled(first);
        }
    }

    private static void onLogStart(RecoveredLog log, long offset) {
        LogContents contents = log.contents();
        if (offset <= contents.logStartOffset()) {
            return;
        }
        List<Segment> dropped = contents.onLogStart(offset);
        log.onMetaReplayed();
        for (Segment segment : dropped) {
            log.dropped().add(segment);
        }
    }

    private void onDelete(RecoveredLog log) {
        long logId = log.contents().identity().logId();
        forget(logId);
        deleted.add(logId);
    }

    /** Batches that bypassed the journal may be lost, and then what came behind them was not acknowledged. */
    private static void requireComplete(RecoveredLog log) throws JournalDamagedException {
        LogContents contents = log.contents();
        if (log.missingFrom() >= contents.endOffset() && !contents.memory()) {
            throw new JournalDamagedException(contents.directory().path() + ": the segments hold offsets up to "
                    + contents.endOffset() + " and the journal those from " + log.missingFrom()
                    + " on; what lies between is missing");
        }
    }

    /** Whether any log may have lost records with the power, even after a clean stop. */
    public boolean hasMemoryLogs() {
        return logs.values().stream().anyMatch(log -> log.contents().memory());
    }

    /** Logs of which the journal says that they were deleted, and the catalogue may not know yet. */
    public List<Long> deleted() {
        return deleted;
    }

    /**
     * Everything of the journal has been replayed: deletes what is no longer part of a log. Of one that bypasses the journal
     * the next scan needs it until the catalogue knows what is known of producers from it.
     *
     * @throws JournalDamagedException where records are missing before others that were acknowledged
     */
    public void finish() throws JournalDamagedException {
        for (RecoveredLog log : new ArrayList<>(logs.values())) {
            requireComplete(log);
            if (!log.contents().memory()) {
                log.dropped().addAll(log.contents().settle());
                log.deleteDropped();
            }
        }
    }
}
