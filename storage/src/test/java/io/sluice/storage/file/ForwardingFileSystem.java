package io.sluice.storage.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Does what another file system does; for tests that change one thing. */
public abstract class ForwardingFileSystem implements FileSystem {
    private final FileSystem files;

    /** Forwards to this one. */
    protected ForwardingFileSystem(FileSystem files) {
        this.files = files;
    }

    @Override
    public StorageFile open(Path file, Access access) throws IOException {
        return files.open(file, access);
    }

    @Override
    public StorageFile create(Path file) throws IOException {
        return files.create(file);
    }

    @Override
    public DirectFile openDirect(Path file) throws IOException {
        return files.openDirect(file);
    }

    @Override
    public boolean exists(Path path) throws IOException {
        return files.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) throws IOException {
        return files.isDirectory(path);
    }

    @Override
    public Path toRealPath(Path path) throws IOException {
        return files.toRealPath(path);
    }

    @Override
    public long sizeOf(Path file) throws IOException {
        return files.sizeOf(file);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return files.list(directory);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        files.createDirectories(directory);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        files.createDirectory(directory);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        files.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        files.delete(path);
    }

    @Override
    public @Nullable StorageFile deleteHolding(Path file) throws IOException {
        return files.deleteHolding(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        files.forceDirectory(directory);
    }

    @Override
    public DirectoryLock lock(Path file) throws IOException {
        return files.lock(file);
    }

    @Override
    public DirectoryLock lockExisting(Path file) throws IOException {
        return files.lockExisting(file);
    }

    @Override
    public HeldPath hold(Path path) throws IOException {
        return files.hold(path);
    }

    @Override
    public long lastModifiedMillis(Path file) throws IOException {
        return files.lastModifiedMillis(file);
    }

    @Override
    public long usableSpace(Path path) throws IOException {
        return files.usableSpace(path);
    }

    @Override
    public int blockSize(Path path) throws IOException {
        return files.blockSize(path);
    }
}
