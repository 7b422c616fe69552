package io.sluice.storage.file;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The operating system's files. Safe on every thread. */
public final class LocalFileSystem implements FileSystem {
    /** Blocks above this size are a file system's record size, not a device's: padding to them would waste the disk. */
    private static final int MAX_BLOCK_SIZE = 64 << 10;

    private static final int MIN_BLOCK_SIZE = 4 << 10;
    private static final Pattern PID = Pattern.compile("^(\\d{1,10})\\s*$");

    private final boolean directWrites;

    /** Writes past the page cache where the file system can. */
    public LocalFileSystem() {
        this(true);
    }

    /**
     * Chooses how {@link #openDirect} writes.
     *
     * @param directWrites whether to try direct writes; otherwise always page cache and fdatasync
     */
    public LocalFileSystem(boolean directWrites) {
        this.directWrites = directWrites;
    }

    @Override
    public StorageFile open(Path file, Access access) throws IOException {
        FileChannel channel = access == Access.READ
                ? FileChannel.open(file, StandardOpenOption.READ)
                : FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        return new LocalFile(file, channel);
    }

    @Override
    public StorageFile create(Path file) throws IOException {
        try {
            return new LocalFile(
                    file,
                    FileChannel.open(
                            file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
        } catch (IOException e) {
            throw LocalFile.translated(file, e);
        }
    }

    @Override
    public DirectFile openDirect(Path file) throws IOException {
        int alignment = blockSize(file);
        if (directWrites) {
            try {
                FileChannel channel = FileChannel.open(
                        file, StandardOpenOption.WRITE, StandardOpenOption.DSYNC, ExtendedOpenOption.DIRECT);
                return new LocalDirectFile(file, channel, alignment, DirectFile.Mechanism.DIRECT);
            } catch (NoSuchFileException e) {
                throw e;
            } catch (IOException | UnsupportedOperationException refused) {
                // This file system (tmpfs, some network and overlay ones) has no direct writes: the open below decides.
            }
        }
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        return new LocalDirectFile(file, channel, alignment, DirectFile.Mechanism.DATA_SYNC);
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path);
    }

    @Override
    public Path toRealPath(Path path) throws IOException {
        Path there = path.toAbsolutePath();
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        return there.toRealPath()
                .resolve(there.relativize(path.toAbsolutePath()))
                .normalize();
    }

    @Override
    public long sizeOf(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return -1;
        }
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                Path name = entry.getFileName();
                if (name != null) {
                    names.add(name.toString());
                }
            }
        } catch (java.nio.file.DirectoryIteratorException e) {
            throw e.getCause();
        }
        Collections.sort(names);
        return names;
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw LocalFile.translated(directory, e);
        }
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        try {
            Files.createDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory)) {
                throw e;
            }
        } catch (IOException e) {
            throw LocalFile.translated(directory, e);
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw LocalFile.translated(to, e);
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        Files.deleteIfExists(path);
    }

    @Override
    public @Nullable StorageFile deleteHolding(Path file) throws IOException {
        StorageFile held = isOnlyName(file) ? openIfPossible(file) : null;
        boolean deleted = false;
        try {
            delete(file);
            deleted = true;
        } finally {
            if (held != null && !deleted) {
                held.close();
            }
        }
        return held;
    }

    private static boolean isOnlyName(Path file) {
        try {
            return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    && Files.getAttribute(file, "unix:nlink", LinkOption.NOFOLLOW_LINKS) instanceof Integer links
                    && links == 1;
        } catch (IOException | UnsupportedOperationException e) {
            return false; // not known
        }
    }

    private @Nullable StorageFile openIfPossible(Path file) {
        try {
            return open(file, Access.READ_WRITE);
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = openDirectory(directory)) {
            channel.force(true);
        }
    }

    private static FileChannel openDirectory(Path directory) throws IOException {
        try {
            return FileChannel.open(directory, StandardOpenOption.READ);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw new CannotOpenException(directory, e);
        }
    }

    @Override
    public DirectoryLock lock(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            FileLock lock = tryLock(channel);
            if (lock == null) {
                throw new LockHeldException(file, holder(channel));
            }
            ByteBuffer pid =
                    ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII));
            channel.truncate(0);
            channel.write(pid, 0);
            locked = true;
            return channel::close;
        } finally {
            if (!locked) {
                channel.close();
            }
        }
    }

    @Override
    public DirectoryLock lockExisting(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            if (tryLock(channel) == null) {
                throw new LockHeldException(file, -1);
            }
            locked = true;
            return channel::close;
        } finally {
            if (!locked) {
                channel.close();
            }
        }
    }

    @Override
    public HeldPath hold(Path path) throws IOException {
        return LocalHeldPath.of(path);
    }

    @Override
    public long lastModifiedMillis(Path file) throws IOException {
        return Files.getLastModifiedTime(file).toMillis();
    }

    @Override
    public long usableSpace(Path path) throws IOException {
        return Files.getFileStore(path).getUsableSpace();
    }

    @Override
    public int blockSize(Path path) throws IOException {
        long size = Files.getFileStore(path).getBlockSize();
        boolean plausible = size >= MIN_BLOCK_SIZE && size <= MAX_BLOCK_SIZE && Long.bitCount(size) == 1;
        return plausible ? (int) size : MIN_BLOCK_SIZE;
    }

    private static @org.jspecify.annotations.Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // this process holds it, through another channel
        }
    }

    private static long holder(FileChannel channel) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(32);
        channel.read(content, 0);
        Matcher matcher = PID.matcher(new String(content.array(), 0, content.position(), StandardCharsets.US_ASCII));
        return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
    }
}
