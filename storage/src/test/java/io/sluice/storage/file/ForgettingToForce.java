package io.sluice.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A planted defect: segments are called durable without being forced. Simulations must notice. */
public final class ForgettingToForce extends ForwardingFileSystem {
    /** Breaks this file system. */
    public ForgettingToForce(FileSystem files) {
        super(files);
    }

    @Override
    public StorageFile open(Path file, Access access) throws IOException {
        StorageFile opened = super.open(file, access);
        return file.toString().endsWith(".log") ? new Unforced(opened) : opened;
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
