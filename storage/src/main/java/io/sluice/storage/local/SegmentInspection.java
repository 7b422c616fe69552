package io.sluice.storage.local;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.journal.JournalInspection;
import io.sluice.storage.local.aborted.AbortedChunk;
import io.sluice.storage.local.aborted.ChunkCache;
import io.sluice.storage.local.aborted.ChunkLoss;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.content.LogIdentity;
import io.sluice.storage.local.content.LogRecovery;
import io.sluice.storage.local.content.RecoveredLog;
import io.sluice.storage.local.producer.ProducerLimit;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentLoss;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2LongHashMap;

/**
 * Finds the files of segments that a start would miss, in a data directory that no node uses, and changes nothing. For one
 * thread.
 */
public final class SegmentInspection {
    private static final long DELETED = Long.MAX_VALUE;

    private SegmentInspection() {}

    /**
     * Records that are gone with the end of a file, or all of it; or of which it is not known whether they were aborted.
     *
     * @param lastOffset last of them
     * @param fileMissing whether there is no file at all
     */
    public record Missing(LogIdentity log, Path file, long firstOffset, long lastOffset, boolean fileMissing) {}

    /**
     * Compares what the catalogue lists with the files; what the journal says to be deleted is not missed. The journal is
     * read only where something is missing.
     *
     * @param journal the journal's directory, which may be missing
     * @throws io.sluice.base.error.UserException if the catalogue is damaged or of a newer format
     */
    public static List<Missing> inspect(FileSystem files, Path directory, Path journal) throws IOException {
        LogRecovery recovery = new LogRecovery(
                files,
                directory.resolve(DataDirectory.LOGS),
                new OpenFiles(1),
                ProducerLimit.none(),
                new ChunkCache(ChunkCache.BLOCK_ENTRIES),
                0);
        Catalogue.read(files, directory, recovery);
        recovery.onCatalogueRead();
        List<Missing> found = new ArrayList<>();
        for (RecoveredLog log : recovery.logs()) {
            addMissing(log.contents(), found);
        }
        if (!found.isEmpty()) { // a journal is large
            Long2LongHashMap starts = starts(files, journal);
            found.removeIf(
                    missing -> missing.lastOffset() < starts.get(missing.log().logId()));
        }
        return found;
    }

    private static void addMissing(LogContents contents, List<Missing> found) {
        for (Segment segment : contents.segments()) {
            SegmentLoss loss = segment.loss();
            if (loss != null && segment.nextOffset() > contents.logStartOffset()) {
                found.add(new Missing(
                        contents.identity(),
                        segment.file().path(),
                        loss.firstOffset(),
                        segment.nextOffset() - 1,
                        loss.fileMissing()));
            }
        }
        for (AbortedChunk chunk : contents.aborted().chunks()) {
            ChunkLoss loss = chunk.loss();
            if (loss != null && chunk.lastMarker() >= contents.logStartOffset()) {
                found.add(new Missing(
                        contents.identity(),
                        chunk.path(),
                        chunk.lowestFirst(),
                        chunk.lastMarker(),
                        loss.fileMissing()));
            }
        }
    }

    /** The newest start of each log that the journal knows; {@link #DELETED} where it says that the log is. */
    private static Long2LongHashMap starts(FileSystem files, Path journal) throws IOException {
        Long2LongHashMap starts = new Long2LongHashMap(0);
        if (files.exists(journal)) {
            JournalInspection.inspect(files, journal, new JournalInspection.Visitor() {
                @Override
                public void onFile(JournalInspection.FileDescription file) {}

                @Override
                public void onBlock(JournalInspection.BlockDescription block) {}

                @Override
                public void onEntry(JournalInspection.EntryDescription entry) {
                    if (entry.kind() == JournalEntryKind.DELETE) {
                        starts.put(entry.logId(), DELETED);
                    } else if (entry.kind() == JournalEntryKind.LOG_START_OFFSET) {
                        starts.put(entry.logId(), Math.max(starts.get(entry.logId()), entry.argument()));
                    }
                }

                @Override
                public void onEnd(Path file, long position, boolean laterBlocks) {}
            });
        }
        return starts;
    }
}
