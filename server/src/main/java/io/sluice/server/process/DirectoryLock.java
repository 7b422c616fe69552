package io.sluice.server.process;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a data directory to one process. The lock is the operating system's, on the file {@code sluice.lock}, so that it
 * goes with the process however that ends; the file's text names the holder, for people.
 */
public final class DirectoryLock implements AutoCloseable {
    private static final String FILE_NAME = "sluice.lock";

    private final FileChannel channel;
    private final FileLock lock;

    private DirectoryLock(FileChannel channel, FileLock lock) {
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Creates the directory where it does not exist, and locks it.
     *
     * @throws UserException when the directory cannot be written or another process holds it
     */
    public static DirectoryLock acquire(Path directory, Instant now) {
        Path file = directory.resolve(FILE_NAME);
        try {
            Files.createDirectories(directory);
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = tryLock(channel);
            if (lock == null) {
                String holder = readHolder(channel);
                channel.close();
                throw new UserException(
                        ExitCode.CANNOT_CREATE,
                        "The data directory " + directory + " is held by " + holder
                                + ". Stop that process, or choose another directory with --data DIR.");
            }
            writeHolder(channel, now);
            return new DirectoryLock(channel, lock);
        } catch (IOException e) {
            throw new UserException(
                    ExitCode.CANNOT_CREATE,
                    "Cannot write in the data directory " + directory + " (" + reason(e)
                            + "). Make it writable for this user, or choose another with --data DIR.",
                    e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static String reason(IOException e) {
        return e.getClass().getSimpleName().replace("Exception", "") + ": " + e.getMessage();
    }

    private static String readHolder(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(256);
        channel.read(buffer, 0);
        String text = new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8).strip();
        return text.isEmpty() ? "another process" : text;
    }

    private static void writeHolder(FileChannel channel, Instant now) throws IOException {
        String holder = "process " + ProcessHandle.current().pid() + " (since " + now + ")\n";
        channel.truncate(0);
        channel.write(ByteBuffer.wrap(holder.getBytes(StandardCharsets.UTF_8)), 0);
    }

    /** Gives the directory back; the file stays, since removing it would race with the next holder. */
    @Override
    public void close() {
        try {
            channel.truncate(0);
            lock.release();
            channel.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
