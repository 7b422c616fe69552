package io.sluice.cli.doctor;

import io.sluice.storage.local.DataDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Whether a node runs on a data directory, and which.
 *
 * @param inUse whether a process holds the directory
 * @param pid that process, where it is known to be the one; its number in a container is another process's outside
 */
record DirectoryUse(boolean inUse, OptionalLong pid) {
    /** Nobody holds it. */
    static final DirectoryUse NONE = new DirectoryUse(false, OptionalLong.empty());

    private static final String LOCK_FILE = ".lock";
    private static final String META_FILE = DataDirectory.META_FILE;

    /** Looks who holds a directory: where its lock file was removed under a node, that it is held is all there is to know. */
    static DirectoryUse of(SystemFiles files, Path directory) {
        DirectoryUse told = byLockFile(files, directory.resolve(LOCK_FILE));
        return told.inUse ? told : new DirectoryUse(isLocked(directory.resolve(META_FILE)), OptionalLong.empty());
    }

    private static boolean isLocked(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return isLocked(channel);
        } catch (IOException e) {
            // No data directory, or not one for this user: the disk's check says so.
            return false;
        }
    }

    private static DirectoryUse byLockFile(SystemFiles files, Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (!isLocked(channel)) {
                return NONE;
            }
            OptionalLong told = SystemFiles.parse(Files.readString(file).strip());
            boolean known = told.isPresent() && holds(files, told.getAsLong(), file);
            return new DirectoryUse(true, known ? told : OptionalLong.empty());
        } catch (IOException e) {
            // No data directory, or not one for this user: the disk's check says so.
            return NONE;
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try (FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true; // by this very process
        }
    }

    /** Whether the process of this number has the lock file open; where that is not for this user, whether it is Sluice. */
    private static boolean holds(SystemFiles files, long pid, Path file) {
        if (!files.hasProcesses()) {
            return true;
        }
        Optional<List<Path>> descriptors = files.descriptors(pid);
        return descriptors.isPresent()
                ? descriptors.get().stream().anyMatch(descriptor -> isSame(descriptor, file))
                : files.lines("proc/" + pid + "/cmdline").stream().anyMatch(words -> words.contains("io.sluice"));
    }

    private static boolean isSame(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).endsWith(LOCK_FILE) && Files.isSameFile(descriptor, file);
        } catch (IOException e) {
            // Closed meanwhile.
            return false;
        }
    }
}
