package io.sluice.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A planted defect: segments are called durable without being forced; all of them, or only what the cleaner wrote.
 * Simulations must notice.
 */
public final class ForgettingToForce extends ForwardingFileSystem {
    private static final Pattern ANY_SEGMENT = Pattern.compile(".*\\.log");
    private static final Pattern REWRITTEN_SEGMENT = Pattern.compile(".*-\\d+\\.log");

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

    private record Unforced(StorageFile file) implements StorageFile {
        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return file.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            file.write(source, position);
        }

        @Override
        public void preallocate(long position, long length) throws IOException {
            file.preallocate(position, length);
        }

        @Override
        public void force(boolean metadata) {
            // the defect
        }

        @Override
        public void truncate(long size) throws IOException {
            file.truncate(size);
        }

        @Override
        public @Nullable FileChannel channel() {
            return file.channel();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
