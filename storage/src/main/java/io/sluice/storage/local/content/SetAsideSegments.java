package io.sluice.storage.local.content;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.local.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of segments that follow one whose file somebody has taken away. They are no part of the log, and are renamed
 * instead of deleted. A mark beside them, an empty file, says so for ever: a file that is given its name back, and that the
 * log cannot take, because it has gone on meanwhile, is set aside again. For the holder of the append lock, or before the
 * log is served.
 */
public final class SetAsideSegments {
    private static final Logger LOG = LoggerFactory.getLogger(SetAsideSegments.class);
    private static final String MARK_SUFFIX = ".kept";

    private SetAsideSegments() {}

    /** Deletes a file that is no part of its log; one that was set aside before is set aside again. */
    public static void deleteUnlessKept(LogDirectory directory, SegmentName name) throws IOException {
        if (isKept(directory, name)) {
            setAside(directory, name);
        } else {
            directory.fileSystem().delete(directory.resolve(name.fileName()));
        }
    }

    /** Whether a file of this name was set aside once. */
    static boolean isKept(LogDirectory directory, SegmentName name) throws IOException {
        return directory.fileSystem().exists(mark(directory, name));
    }

    private static Path mark(LogDirectory directory, SegmentName name) {
        return directory.resolve(name.fileName() + MARK_SUFFIX);
    }

    /** Renames a file; makes the mark durable before. The caller forces the directory. */
    static void setAside(LogDirectory directory, SegmentName name) throws IOException {
        FileSystem fileSystem = directory.fileSystem();
        if (!isKept(directory, name)) {
            fileSystem.create(mark(directory, name)).close();
        }
        directory.forceNames(); // also of a mark that there was before: whoever made it may not have got so far
        Path aside = directory.resolve(name.fileName() + LogIdentity.UNCLAIMED_SUFFIX);
        for (int number = 2; fileSystem.exists(aside); number++) {
            aside = directory.resolve(name.fileName() + "." + number + LogIdentity.UNCLAIMED_SUFFIX);
        }
        fileSystem.rename(directory.resolve(name.fileName()), aside);
        LOG.warn(
                "a segment is set aside because the one before it was missing when the node started: its records are not"
                        + " served and the node never deletes it; copy it elsewhere to read them, and remove it when you"
                        + " need it no more file={}",
                aside);
    }
}
