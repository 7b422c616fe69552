package io.sluice.storage.file;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file operations that the storage engine needs, no more, so that a simulated file system can lose, tear and refuse
 * what a real one may lose, tear and refuse.
 *
 * <p>What is durable when: the bytes of a file once {@link StorageFile#force} or {@link DirectFile#writeDurably} has
 * returned; a name (created, renamed, deleted) once {@link #forceDirectory} of its directory has returned. Forcing a file
 * says nothing of its name.
 *
 * <p>Errors: {@link OutOfSpaceException} when the device is full, {@link java.nio.file.NoSuchFileException} and {@link
 * java.nio.file.FileAlreadyExistsException} as in java.nio, {@link CannotOpenException} where a descriptor was lacking and
 * nothing was done, else a plain {@link IOException} that names the file. After a failed write or force the outcome is unknown
 * and must not be retried.
 *
 * <p>Threads: safe on every thread; every method may block on the disk. A thread that is in one must never be
 * interrupted: an interrupt closes the file under everybody else.
 */
public interface FileSystem {
    /** Opens a file that exists. */
    StorageFile open(Path file, Access access) throws IOException;

    /** Creates an empty file for reading and writing; refuses if the name is taken. */
    StorageFile create(Path file) throws IOException;

    /**
     * Opens a file that exists, whole and filled, for writing past the page cache where the file system can; otherwise
     * each write is followed by a flush of the device.
     */
    DirectFile openDirect(Path file) throws IOException;

    /** Whether there is a file or directory of this name. */
    boolean exists(Path path) throws IOException;

    /** Whether there is a directory of this name. */
    boolean isDirectory(Path path) throws IOException;

    /** Bytes of a file, or -1 where there is none. */
    long sizeOf(Path file) throws IOException;

    /** The names in a directory, sorted, without their path. */
    List<String> list(Path directory) throws IOException;

    /** Creates a directory and the ones above it that are missing; does nothing where it exists. */
    void createDirectories(Path directory) throws IOException;

    /**
     * Creates a directory in one that exists; does nothing where it exists.
     *
     * @throws java.nio.file.NoSuchFileException where the one above it is missing, which is not made again
     */
    void createDirectory(Path directory) throws IOException;

    /** Renames a file or directory within one file system, atomically; a file in the way is replaced. */
    void rename(Path from, Path to) throws IOException;

    /** Deletes a file or an empty directory; does nothing where there is none. */
    void delete(Path path) throws IOException;

    /**
     * As {@link #delete}, and keeps the file open so that it can be emptied: nobody reaches it any more who has not opened it before,
     * or linked to it in the very moment of the deletion.
     *
     * @return null where the file is not to be emptied, since another name leads to it (a backup made of hard links), where the name
     *     was a symbolic link, and where this cannot be known or the file not be opened; its name is deleted all the same
     */
    @Nullable StorageFile deleteHolding(Path file) throws IOException;

    /**
     * Makes the names in a directory durable.
     *
     * @throws CannotOpenException if it is there and cannot be opened: nothing was forced, and it may be tried again
     */
    void forceDirectory(Path directory) throws IOException;

    /**
     * Takes a lock file, creating it if need be, and writes this process's id into it.
     *
     * @throws LockHeldException when another process, or this one, holds it; names the holder
     */
    DirectoryLock lock(Path file) throws IOException;

    /**
     * Locks a file that exists and changes nothing in it. POSIX lets such a lock go as soon as this process closes the file,
     * whoever had opened it: nobody in this process may open it while the lock is needed.
     *
     * @throws LockHeldException when another process, or this one, holds it
     * @throws AccessDeniedException where this user may not write to it
     */
    DirectoryLock lockExisting(Path file) throws IOException;

    /**
     * Takes hold of the file or directory that a path leads to, links followed, to learn later whether it still leads there.
     * Not for files that are locked: letting go of them would let go of the lock.
     *
     * @throws java.nio.file.NoSuchFileException where it leads nowhere
     */
    HeldPath hold(Path path) throws IOException;

    /** Wall-clock milliseconds at which a file that exists was last written to. */
    long lastModifiedMillis(Path file) throws IOException;

    /** Bytes that can still be written to the device holding this path, which exists. */
    long usableSpace(Path path) throws IOException;

    /** Size in bytes of a block of the device holding this path, which exists: the alignment of direct writes. */
    int blockSize(Path path) throws IOException;

    /**
     * The absolute path by which what is there is reached without symbolic links; of what is not there yet, as far as there
     * is something.
     */
    default Path toRealPath(Path path) throws IOException {
        return path.toAbsolutePath().normalize();
    }

    /**
     * As {@link #createDirectories}, and makes the names of those it creates durable; that of a directory which exists,
     * too, since whoever created it may have died before.
     */
    default void createDirectoriesDurably(Path directory) throws IOException {
        Path parent = directory.toAbsolutePath().getParent();
        if (parent == null) {
            return;
        }
        if (!exists(directory)) {
            createDirectoriesDurably(parent);
            createDirectories(directory);
        }
        try {
            forceDirectory(parent);
        } catch (CannotOpenException e) {
            // A parent that may not be read is not one that this process makes names in.
            if (!(e.getCause() instanceof AccessDeniedException)) {
                throw e;
            }
        }
    }

    /** Deletes a directory with everything in it; does nothing where there is none. */
    default void deleteTree(Path directory) throws IOException {
        if (!exists(directory)) {
            return;
        }
        if (isDirectory(directory)) {
            for (String name : list(directory)) {
                deleteTree(directory.resolve(name));
            }
        }
        delete(directory);
    }

    /** What a file is opened for. */
    enum Access {
        /** Reading only. */
        READ,
        /** Reading and writing. */
        READ_WRITE
    }
}
