package io.sluice.storage.local;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.content.RecoveredLog;
import io.sluice.storage.local.content.SetAsideSegments;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what a crash left of a cleaning or of a deletion: segments that the cleaner had written and that never became
 * part of their log, and segments below the log's end that were part of it once. What a log consists of is taken from
 * recovery, before anything is appended; files from the end on are none of its business, because a log that bypasses the
 * journal may find its end there. Also deletes files of aborted transactions that the catalogue does not name. Runs before the first cleaning of the process, on the cleaner's thread.
 */
final class OrphanedSegments implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedSegments.class);

    private final List<Known> logs = new ArrayList<>();

    private record Known(LogContents contents, List<Segment> segments, long endOffset) {}

    /** Of these logs as they are now. */
    OrphanedSegments(Collection<RecoveredLog> recovered) {
        for (RecoveredLog log : recovered) {
            LogContents contents = log.contents();
            List<Segment> kept = new ArrayList<>(log.dropped()); // the checkpoint deletes them
            kept.addAll(Arrays.asList(contents.segments()));
            logs.add(new Known(contents, kept, contents.endOffset()));
        }
    }

    @Override
    public void run() {
        int deleted = 0;
        for (Known log : logs) {
            try {
                deleted += sweep(log);
            } catch (IOException e) {
                LOG.warn("what a crash left of segments was not deleted log={}", log.contents, e);
            }
        }
        logs.clear();
        if (deleted > 0) {
            LOG.info("files of segments that a crash left behind were deleted files={}", deleted);
        }
    }

    private static int sweep(Known log) throws IOException {
        FileSystem fileSystem = log.contents.directory().fileSystem();
        Path directory = log.contents.directory().path();
        if (!fileSystem.exists(directory)) {
            return 0;
        }
        Set<SegmentName> listed = new HashSet<>();
        for (Segment segment : log.segments) {
            listed.add(segment.name());
        }
        int deleted = 0;
        for (String fileName : fileSystem.list(directory)) {
            SegmentName name = SegmentName.parseAny(fileName);
            if (name == null) {
                deleted += log.contents.abortedChunks().deleteIfLeftBehind(fileName) ? 1 : 0;
            } else if (!listed.contains(name) && isOrphan(name, log.endOffset)) {
                remove(log.contents.directory(), fileName, name);
                deleted++;
            }
        }
        return deleted;
    }

    private static void remove(LogDirectory directory, String fileName, SegmentName name) throws IOException {
        if (fileName.equals(name.fileName())) {
            SetAsideSegments.deleteUnlessKept(directory, name);
        } else {
            directory.fileSystem().delete(directory.resolve(fileName)); // of an index
        }
    }

    private static boolean isOrphan(SegmentName name, long endOffset) {
        return name.version() > 0 || name.baseOffset() < endOffset;
    }
}
