package io.sluice.cli.doctor;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;

/** Which node runs on a data directory. */
final class DirectoryUse {
    private static final String LOCK_FILE = ".lock";

    private DirectoryUse() {}

    /** The id of the process that holds the directory, as the lock file tells it; empty when none does. */
    static OptionalLong nodePid(Path directory) {
        Path file = directory.resolve(LOCK_FILE);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (!isLocked(channel)) {
                return OptionalLong.empty();
            }
            return SystemFiles.parse(Files.readString(file).strip());
        } catch (IOException e) {
            // No data directory, or not one for this user: the disk's check says so.
            return OptionalLong.empty();
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try (FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true; // by this very process
        }
    }
}
