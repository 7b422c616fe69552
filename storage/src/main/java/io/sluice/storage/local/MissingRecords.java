package io.sluice.storage.local;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.journal.JournalRecovery;
import io.sluice.storage.local.aborted.AbortedChunk;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.content.LogRecovery;
import io.sluice.storage.local.content.RecoveredLog;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentLoss;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a start says of segments that the catalogue lists and whose files are gone or shorter than what had been made
 * durable in them. The rest of such a log is served; reads of what is missing fail until the file is back or the log
 * start has moved behind it.
 */
final class MissingRecords {
    private static final Logger LOG = LoggerFactory.getLogger(MissingRecords.class);
    private static final int MAX_REPORTED = 20;
    private static final int MAX_FILES = 3;

    private MissingRecords() {}

    /**
     * Before anything is replayed into it, and perhaps beneath a mount point: refuses a directory of logs in which there is
     * nothing left of what the catalogue lists. Where there is no directory and nothing to miss, makes it.
     *
     * @throws UserException if it is to be mounted or restored first
     */
    static void requireLogs(DataDirectory directory, LogRecovery recovery, JournalRecovery journal) throws IOException {
        if (directory.hasLogDirectory()) {
            return;
        }
        boolean there = directory.fileSystem().exists(directory.logs());
        Set<Long> missing = recovery.logsWithRecords();
        if (there && !missing.isEmpty()) {
            journal.replay((kind, logId, argument, payload, endPosition) -> {
                if (kind == JournalEntryKind.DELETE) {
                    missing.remove(logId);
                }
            });
        }
        if (!missing.isEmpty()) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    directory.logs() + (there ? " is empty" : " is missing") + " although the catalogue lists "
                            + missing.size() + " partitions with records: is a disk not mounted, or has another program"
                            + " removed it? Mount it or restore it from a copy, and start again. To give up all records"
                            + " instead, move the file catalogue and what is in the journal directory away.");
        }
        if (!there) {
            directory.createLogs();
        }
    }

    /**
     * Says once for each log what it lacks; of many logs, of the first and how many there are.
     *
     * @return how many were named
     */
    static int report(Collection<RecoveredLog> logs) {
        int count = 0;
        for (RecoveredLog log : logs) {
            List<Segment> incomplete = incomplete(log.contents());
            if (!incomplete.isEmpty() && count++ < MAX_REPORTED) {
                report(log.contents(), incomplete);
            }
            List<AbortedChunk> lost = log.contents().lostChunks();
            if (!lost.isEmpty() && count++ < MAX_REPORTED) {
                reportChunks(log.contents(), lost);
            }
        }
        if (count > MAX_REPORTED) {
            LOG.error(
                    "records are missing in more partitions than were named partitions={} named={}",
                    count,
                    MAX_REPORTED);
        }
        return Math.min(count, MAX_REPORTED);
    }

    private static List<Segment> incomplete(LogContents contents) {
        List<Segment> found = new ArrayList<>(0);
        for (Segment segment : contents.segments()) {
            if (segment.loss() != null && segment.nextOffset() > contents.logStartOffset()) {
                found.add(segment);
            }
        }
        return found;
    }

    private static void report(LogContents contents, List<Segment> incomplete) {
        StringBuilder files = new StringBuilder();
        for (Segment segment : incomplete.subList(0, Math.min(MAX_FILES, incomplete.size()))) {
            files.append(files.length() == 0 ? "" : "; ").append(describe(segment));
        }
        if (incomplete.size() > MAX_FILES) {
            files.append("; and ").append(incomplete.size() - MAX_FILES).append(" more");
        }
        LOG.error(
                "records are missing and answered with KAFKA_STORAGE_ERROR partition={} files=[{}]: stop the node, restore the"
                        + " files from a copy and start again; or give them up, and all before them, with DeleteRecords"
                        + " (kafka-delete-records) up to offset {}",
                contents.identity().displayName(),
                files,
                incomplete.get(incomplete.size() - 1).nextOffset());
    }

    private static void reportChunks(LogContents contents, List<AbortedChunk> lost) {
        LOG.error(
                "files that say which transactions were aborted are missing or damaged, and readers of what is committed are answered"
                        + " with KAFKA_STORAGE_ERROR there partition={} files={} first=[{}]: stop the node, restore the files"
                        + " from a copy and start again; or give the records up with DeleteRecords (kafka-delete-records)"
                        + " up to offset {}",
                contents.identity().displayName(),
                lost.size(),
                Objects.requireNonNull(lost.get(0).loss()).why(),
                lost.get(lost.size() - 1).lastMarker() + 1);
    }

    private static String describe(Segment segment) {
        SegmentLoss loss = segment.loss();
        if (loss == null) {
            throw new IllegalArgumentException(segment + " is complete");
        }
        return segment.file().path() + " lacks offsets " + loss.firstOffset() + " to " + (segment.nextOffset() - 1)
                + (loss.fileMissing() ? ", there is no such file" : ", it ends at byte " + loss.position());
    }
}
