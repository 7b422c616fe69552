package io.sluice.storage.local.segment;

import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Where the files of one log are. Made on disk with the first append; renamed when the log is deleted. Safe on every
 * thread.
 */
public final class LogDirectory {
    private final DurableStep durable;
    private volatile Path path;
    private volatile boolean created;
    private volatile boolean nameForced;

    /** A directory that may not exist yet. */
    public LogDirectory(DurableStep durable, Path path) {
        this.durable = durable;
        this.path = path;
    }

    /** Where it is now. */
    public Path path() {
        return path;
    }

    /** The file system it is on. */
    public FileSystem fileSystem() {
        return durable.fileSystem();
    }

    /** How what is in it becomes durable. */
    DurableStep durable() {
        return durable;
    }

    /** A file in it. */
    public Path resolve(String name) {
        return path.resolve(name);
    }

    /** The segments whose files are in it, in the order of their offsets. */
    public List<SegmentName> segmentNames() throws IOException {
        List<SegmentName> names = new ArrayList<>();
        if (fileSystem().exists(path)) {
            for (String fileName : fileSystem().list(path)) {
                SegmentName name = SegmentName.parse(fileName);
                if (name != null) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    /** Makes it if it is missing; not the one above it, which is no more where it was if that is missing. */
    void create() throws IOException {
        if (!created) {
            fileSystem().createDirectory(path);
            created = true;
            nameForced = false;
        }
    }

    /**
     * Writes a file, durably but for its name; one of the same name, which a crash has left, goes before.
     *
     * @throws IOException there may be a part of the file
     */
    public void writeFile(String name, ByteBuffer bytes) throws IOException {
        Path file = path.resolve(name);
        fileSystem().delete(file);
        try (StorageFile created = fileSystem().create(file)) {
            created.write(bytes, 0);
            durable.file(created, true);
        }
    }

    /** Makes the names in it durable, where it was made at all. */
    public void forceNamesIfMade() throws IOException {
        if (fileSystem().exists(path)) {
            forceNames();
        }
    }

    /** Makes the names in it durable; its own name needs {@link #forceParents} as well. */
    public void forceNames() throws IOException {
        durable.directory(path);
    }

    /** Makes the directories' own names durable, with one force for all that have the same parent. */
    public static void forceParents(Iterable<LogDirectory> directories) throws IOException {
        Set<Path> parents = new HashSet<>();
        for (LogDirectory directory : directories) {
            Path parent = directory.path.getParent();
            if (!directory.nameForced && parent != null) {
                directory.nameForced = true; // before it is: one that is made from now on is forced next time
                parents.add(parent);
            }
        }
        try {
            for (LogDirectory directory : directories) {
                Path parent = directory.path.getParent();
                if (parent != null && parents.remove(parent)) {
                    directory.durable.directory(parent);
                }
            }
        } catch (CannotOpenException e) {
            directories.forEach(directory -> directory.nameForced = false);
            throw e;
        }
    }

    /** Renames it, if it exists; files opened before stay open. */
    public void renameTo(Path target) throws IOException {
        Path old = path;
        path = target;
        if (fileSystem().exists(old)) {
            fileSystem().rename(old, target);
        }
    }
}
