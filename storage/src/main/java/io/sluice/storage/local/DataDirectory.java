package io.sluice.storage.local;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.LockHeldException;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.local.content.LogIdentity;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A data directory that this process holds: locked, and known to be of this format, cluster and node. Everything else in
 * it is opened after this. {@code meta.properties} says what it is; docs/formats/data-directory.md has the layout.
 */
public final class DataDirectory implements AutoCloseable {
    /** The format that this version writes, and the newest it reads. */
    public static final int FORMAT = 1;

    /** Name of the file that says what the directory is. */
    public static final String META_FILE = "meta.properties";

    /** Name of the file beside the logs that says how far the journal had got. */
    public static final String JOURNAL_NOTE = "journal-position";

    /** Name of the directory of the logs. */
    public static final String LOGS = "logs";

    /** Name of the directory of the metadata. */
    public static final String METADATA = "metadata";

    /** Name of the file that keeps other processes off a directory. */
    public static final String LOCK_FILE = ".lock";

    private static final int MAX_META_BYTES = 64 << 10;

    private final FileSystem fileSystem;
    private final Path path;
    private final DirectoryHold hold;
    private final Meta meta;

    private DataDirectory(FileSystem fileSystem, Path path, DirectoryHold hold, Meta meta) {
        this.fileSystem = fileSystem;
        this.path = path;
        this.hold = hold;
        this.meta = meta;
    }

    /**
     * What {@code meta.properties} says.
     *
     * @param format number of the layout
     * @param clusterId 22 characters
     * @param nodeId the node it belongs to
     */
    public record Meta(int format, String clusterId, int nodeId) {}

    /**
     * Takes a directory, making it where it is missing.
     *
     * @param clusterId the cluster it must belong to; null takes what the directory says, or a new id where it is empty
     * @param nodeId the node it must belong to
     * @throws UserException if another process holds it, it cannot be written, or it belongs to somebody else
     */
    public static DataDirectory open(FileSystem fileSystem, Path path, @Nullable String clusterId, int nodeId) {
        DirectoryHold hold = take(fileSystem, path);
        boolean done = false;
        try {
            Meta meta = readMeta(fileSystem, path);
            if (meta == null) {
                DirectoryOrigin.requireNew(fileSystem, path);
                meta = new Meta(FORMAT, clusterId == null ? TopicId.random().toString() : clusterId, nodeId);
                writeMeta(fileSystem, path, meta);
            }
            requireOurs(path, meta, clusterId, nodeId);
            hold.takeMeta(); // nothing opens it from here on
            // Where there is a catalogue it says whether there was anything in them: who reads it decides.
            if (!fileSystem.exists(path.resolve(Catalogue.FILE_NAME))) {
                fileSystem.createDirectories(path.resolve(LOGS));
            }
            fileSystem.forceDirectory(path);
            done = true;
            return new DataDirectory(fileSystem, path, hold, meta);
        } catch (LockHeldException e) {
            throw inUse(path, e);
        } catch (IOException e) {
            throw unusable(path, e);
        } finally {
            if (!done) {
                closeQuietly(hold);
            }
        }
    }

    /**
     * Refuses a place for the journal that is the data directory itself, or outside of it and another node's own.
     *
     * @param path the data directory, which may not exist yet
     * @throws UserException naming both; nothing was changed
     */
    public static void requireJournalPlace(FileSystem fileSystem, Path path, Path journal) throws IOException {
        DirectoryOrigin.requireJournalPlace(fileSystem, path, journal);
    }

    private static DirectoryHold take(FileSystem fileSystem, Path path) {
        try {
            DirectoryOrigin.requireNotNested(fileSystem, path);
            fileSystem.createDirectoriesDurably(path);
            return DirectoryHold.take(fileSystem, path);
        } catch (LockHeldException e) {
            throw inUse(path, e);
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static UserException inUse(Path path, LockHeldException e) {
        String holder = e.holderPid() < 0 ? "another process" : "process " + e.holderPid();
        return new UserException(
                ExitCode.CANNOT_CREATE,
                "Data directory " + path + " is in use by " + holder + ". Stop it first, or choose another directory.",
                e);
    }

    private static UserException unusable(Path path, IOException e) {
        return new UserException(
                ExitCode.CANNOT_CREATE,
                "Data directory " + path + " cannot be used: " + FileFailures.text(e)
                        + ". Choose a directory that this user can write.",
                e);
    }

    private static void closeQuietly(DirectoryHold hold) {
        try {
            hold.close();
        } catch (IOException e) {
            // The failure that is being reported matters more; the lock goes with the process.
        }
    }

    /** Reads {@code meta.properties}, or returns null where there is none. */
    public static @Nullable Meta readMeta(FileSystem fileSystem, Path directory) throws IOException {
        Path file = directory.resolve(META_FILE);
        if (!fileSystem.exists(file)) {
            return null;
        }
        Properties properties = new Properties();
        if (fileSystem.isDirectory(file)) {
            throw new UserException(ExitCode.BAD_DATA, file + " is a directory. Choose another data directory.");
        }
        try (StorageFile open = fileSystem.open(file, FileSystem.Access.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(MAX_META_BYTES, open.size()));
            open.read(bytes, 0);
            properties.load(
                    new StringReader(StandardCharsets.UTF_8.decode(bytes.flip()).toString()));
        } catch (IllegalArgumentException e) {
            throw damagedMeta(file, e);
        }
        try {
            return new Meta(
                    Integer.parseInt(required(properties, "format", file)),
                    required(properties, "cluster.id", file),
                    Integer.parseInt(required(properties, "node.id", file)));
        } catch (NumberFormatException e) {
            throw damagedMeta(file, e);
        }
    }

    private static String required(Properties properties, String key, Path file) {
        String value = properties.getProperty(key);
        if (value == null) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    file + " has no " + key + ": it is another program's (Kafka has such a file too) or damaged. Choose"
                            + " another directory, or restore the file from a copy.");
        }
        return value.trim();
    }

    private static UserException damagedMeta(Path file, IllegalArgumentException e) {
        return new UserException(
                ExitCode.BAD_DATA, file + " cannot be read (" + e.getMessage() + "). Restore the file from a copy.", e);
    }

    private static void writeMeta(FileSystem fileSystem, Path directory, Meta meta) throws IOException {
        String text = "# What this directory is. Written by Sluice; do not edit.\nformat=" + meta.format
                + "\ncluster.id=" + meta.clusterId + "\nnode.id=" + meta.nodeId + "\n";
        Path temporary = directory.resolve(META_FILE + ".new");
        fileSystem.delete(temporary);
        try (StorageFile file = fileSystem.create(temporary)) {
            file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
            file.force(true);
        }
        fileSystem.rename(temporary, directory.resolve(META_FILE));
    }

    private static void requireOurs(Path path, Meta meta, @Nullable String clusterId, int nodeId) {
        if (meta.format > FORMAT || meta.format < 1) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    "Data directory " + path + " has format " + meta.format + ", this version reads up to " + FORMAT
                            + ". Start it with the version that wrote it, or a newer one.");
        }
        if (clusterId != null && !clusterId.equals(meta.clusterId)) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    "Data directory " + path + " belongs to cluster " + meta.clusterId + ", not to " + clusterId
                            + ". Choose another directory.");
        }
        if (nodeId != meta.nodeId) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    "Data directory " + path + " belongs to node " + meta.nodeId + ", not to node " + nodeId
                            + ". Set node.id=" + meta.nodeId + ", or choose another directory.");
        }
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /** Where the logs are. */
    public Path logs() {
        return path.resolve(LOGS);
    }

    /** The directory of a log with a segment, whichever comes first; empty where there is none. */
    public Optional<Path> anyLog() throws IOException {
        return DirectoryOrigin.anyLogWithSegments(fileSystem, logs());
    }

    /** Whether there is a directory that has the name of a log's. */
    boolean hasLogDirectory() throws IOException {
        return fileSystem.isDirectory(logs())
                && fileSystem.list(logs()).stream().anyMatch(name -> LogIdentity.logIdOf(name) >= 0);
    }

    /** Makes the directory of the logs where it is missing. */
    void createLogs() throws IOException {
        fileSystem.createDirectories(logs());
        fileSystem.forceDirectory(path);
    }

    /** The file system it is on. */
    public FileSystem fileSystem() {
        return fileSystem;
    }

    /** The number by which the journal's files know whose they are: made of cluster and node. */
    public long journalOwner() {
        byte[] name = (meta.clusterId + "/" + meta.nodeId).getBytes(StandardCharsets.UTF_8);
        return UUID.nameUUIDFromBytes(name).getMostSignificantBits();
    }

    /** What it is. */
    public Meta meta() {
        return meta;
    }

    /** Lets other processes have it. */
    @Override
    public void close() throws IOException {
        hold.close();
    }
}
