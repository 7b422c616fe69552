package io.sluice.storage.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * A planted defect: segments are called durable without being forced, all of them or only what the cleaner wrote; or files of
 * aborted transactions.
 * Simulations must notice.
 */
public final class ForgettingToForce extends ForwardingFileSystem {
    private static final Pattern ANY_SEGMENT = Pattern.compile(".*\\.log");
    private static final Pattern REWRITTEN_SEGMENT = Pattern.compile(".*-\\d+\\.log");

    private static final Pattern ABORTED = Pattern.compile(".*\\.aborted");

    private final Pattern unforced;

    private ForgettingToForce(FileSystem files, Pattern unforced) {
        super(files);
        this.unforced = unforced;
    }

    /** No segment is forced. */
    public static FileSystem ofAnySegment(FileSystem files) {
        return new ForgettingToForce(files, ANY_SEGMENT);
    }

    /** No segment that the cleaner has written is forced. */
    public static FileSystem ofRewrittenSegments(FileSystem files) {
        return new ForgettingToForce(files, REWRITTEN_SEGMENT);
    }

    /** No file of aborted transactions is forced. */
    public static FileSystem ofAbortedTransactions(FileSystem files) {
        return new ForgettingToForce(files, ABORTED);
    }

    @Override
    public StorageFile open(Path file, Access access) throws IOException {
        return unforced(super.open(file, access));
    }

    @Override
    public StorageFile create(Path file) throws IOException {
        return unforced(super.create(file));
    }

    private StorageFile unforced(StorageFile file) {
        return unforced.matcher(String.valueOf(file.path().getFileName())).matches() ? new Unforced(file) : file;
    }

    private static final class Unforced extends ForwardingFile {
        Unforced(StorageFile file) {
            super(file);
        }

        @Override
        public void force(boolean metadata) {
            // the defect
        }
    }
}
