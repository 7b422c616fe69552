package io.sluice.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Does what another file does; for tests that change one thing. */
public abstract class ForwardingFile implements StorageFile {
    private final StorageFile file;

    /** Forwards to this one. */
    protected ForwardingFile(StorageFile file) {
        this.file = file;
    }

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
    public void force(boolean metadata) throws IOException {
        file.force(metadata);
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
