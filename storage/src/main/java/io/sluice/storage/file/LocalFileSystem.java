package io.sluice.storage.file;

import com.sun.nio.file.ExtendedOpenOption;
import io.sluice.base.error.FileFailures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operating system's files. Safe on every thread. */
public final class LocalFileSystem implements FileSystem {
    private static final Logger LOG = LoggerFactory.getLogger(LocalFileSystem.class);

    /** Blocks above this size are a file system's record size, not a device's: padding to them would waste the disk. */
    private static final int MAX_BLOCK_SIZE = 64 << 10;

    private static final int MIN_BLOCK_SIZE = 4 << 10;
    private static final Pattern PID = Pattern.compile("^(\\d{1,10})\\s*$");

    private final boolean directWrites;
    private final long descriptorLimit;

    /** Writes past the page cache where the file system can. */
    public LocalFileSystem() {
        this(true, -1);
    }

    /** As {@link #LocalFileSystem()}, in a process that may have so many descriptors: for messages. */
    public LocalFileSystem(long descriptorLimit) {
        this(true, descriptorLimit);
    }

    /**
     * Chooses how {@link #openDirect} writes.
     *
     * @param directWrites whether to try direct writes; otherwise always page cache and fdatasync
     */
    public LocalFileSystem(boolean directWrites) {
        this(directWrites, -1);
    }

    private LocalFileSystem(boolean directWrites, long descriptorLimit) {
        this.directWrites = directWrites;
        this.descriptorLimit = descriptorLimit;
    }

    @Override
    public StorageFile open(Path file, Access access) throws IOException {
        return new LocalFile(
                file,
                access == Access.READ
                        ? openChannel(file, StandardOpenOption.READ)
                        : openChannel(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    private FileChannel openChannel(Path path, OpenOption... options) throws IOException {
        try {
            return FileChannel.open(path, options);
        } catch (IOException e) {
            throw refused(path, e);
        }
    }

    /** Why something could not be opened, with a type of its own where that is for want of a descriptor. */
    private IOException refused(Path path, IOException e) {
        return CannotOpenException.isTooMany(e) ? new CannotOpenException(path, e, descriptorLimit) : e;
    }

    @Override
    public StorageFile create(Path file) throws IOException {
        try {
            return new LocalFile(
                    file,
                    openChannel(
                            file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
        } catch (CannotOpenException e) {
            throw e;
        } catch (IOException e) {
            throw LocalFile.translated(file, e);
        }
    }

    @Override
    public DirectFile openDirect(Path file) throws IOException {
        int alignment = blockSize(file);
        if (directWrites) {
            try {
                FileChannel channel = openChannel(
                        file, StandardOpenOption.WRITE, StandardOpenOption.DSYNC, ExtendedOpenOption.DIRECT);
                return new LocalDirectFile(file, channel, alignment, DirectFile.Mechanism.DIRECT);
            } catch (NoSuchFileException | CannotOpenException e) {
                throw e;
            } catch (IOException | UnsupportedOperationException refused) {
                // This file system (tmpfs, some network and overlay ones) has no direct writes: the open below decides.
            }
        }
        FileChannel channel = openChannel(file, StandardOpenOption.WRITE);
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
        } catch (IOException e) {
            throw refused(directory, e);
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
        StorageFile held = openIfOnlyName(file);
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

    private @Nullable StorageFile openIfOnlyName(Path file) {
        try {
            StorageFile opened = isOnlyName(file) ? open(file, Access.READ_WRITE) : null;
            boolean only = false;
            try {
                only = opened != null && isOnlyName(file); // still: a backup may be linking files just now
            } finally {
                if (opened != null && !only) {
                    opened.close();
                }
            }
            return only ? opened : null;
        } catch (IOException e) {
            LOG.debug("a file to be deleted is not held open file={} reason={}", file, FileFailures.text(e));
            return null;
        }
    }

    /** False as well where the system does not tell how many names a file has. */
    private static boolean isOnlyName(Path file) throws IOException {
        return file.getFileSystem().supportedFileAttributeViews().contains("unix")
                && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                && Files.getAttribute(file, "unix:nlink", LinkOption.NOFOLLOW_LINKS) instanceof Integer links
                && links == 1;
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = openDirectory(directory)) {
            channel.force(true);
        }
    }

    private FileChannel openDirectory(Path directory) throws IOException {
        try {
            return FileChannel.open(directory, StandardOpenOption.READ);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw new CannotOpenException(directory, e, descriptorLimit);
        }
    }

    @Override
    public DirectoryLock lock(Path file) throws IOException {
        FileChannel channel =
                openChannel(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
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
        FileChannel channel = openChannel(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
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
        try {
            return LocalHeldPath.of(path);
        } catch (IOException e) {
            throw refused(path, e);
        }
    }

    @Override
    public long lastModifiedMillis(Path file) throws IOException {
        return Files.getLastModifiedTime(file).toMillis();
    }

    @Override
    public long usableSpace(Path path) throws IOException {
        long bytes = path.toFile().getUsableSpace(); // without a descriptor; 0 for what fails as well
        return bytes > 0 ? bytes : storeOf(path).getUsableSpace();
    }

    @Override
    public int blockSize(Path path) throws IOException {
        long size = storeOf(path).getBlockSize();
        boolean plausible = size >= MIN_BLOCK_SIZE && size <= MAX_BLOCK_SIZE && Long.bitCount(size) == 1;
        return plausible ? (int) size : MIN_BLOCK_SIZE;
    }

    /**
     * The device that holds this path. It is found in the table of mounts; where there is no descriptor to read that with, Java
     * says that the mount is missing.
     */
    private FileStore storeOf(Path path) throws IOException {
        try {
            return Files.getFileStore(path);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            requireDescriptor(path);
            return Files.getFileStore(
                    path); // there was none then, and there is one now; or what fails is the look itself
        }
    }

    /** Opens the root, because a file that is closed again would lose the locks that this process has on it. */
    private void requireDescriptor(Path path) throws CannotOpenException {
        try {
            FileChannel.open(path.toAbsolutePath().getRoot(), StandardOpenOption.READ)
                    .close();
        } catch (IOException e) {
            if (CannotOpenException.isTooMany(e)) {
                throw new CannotOpenException(path, e, descriptorLimit);
            }
        }
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
