package io.sluice.storage.metadata;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.FileSystem.Access;
import io.sluice.storage.file.OutOfSpaceException;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.metadata.MetadataFrame.Group;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The append log of changes. A group is written only when the one before it has been flushed; so a damaged group with a
 * whole one behind it was damaged after its flush, and the file is refused, while a damaged group with nothing behind it
 * was never acknowledged, and is cut. Room is allocated ahead, so that a flush need not change the file's size.
 *
 * <p>For one thread.
 */
final class MetadataLog implements Closeable {
    private static final long ALLOCATION_BYTES = 1 << 20;
    private static final long SMALLEST_ALLOCATION_BYTES = 4096;

    private final StorageFile file;
    private long end;
    private long allocatedEnd;

    private MetadataLog(StorageFile file, long end, long allocatedEnd) {
        this.file = file;
        this.end = end;
        this.allocatedEnd = allocatedEnd;
    }

    static String fileName(long startChange) {
        return String.format("changes-%020d.log", startChange);
    }

    /** Makes an empty log; its name is durable when this returns. */
    static MetadataLog create(FileSystem files, Path directory, long startChange) throws IOException {
        Path path = directory.resolve(fileName(startChange));
        Path unfinished = directory.resolve(fileName(startChange) + MetadataFiles.UNFINISHED);
        files.delete(unfinished);
        try (StorageFile made = files.create(unfinished)) {
            made.write(MetadataFileHeader.encode(MetadataFileHeader.LOG_MAGIC, startChange), 0);
            made.force(true);
        }
        files.rename(unfinished, path);
        files.forceDirectory(directory);
        StorageFile file = files.open(path, Access.READ_WRITE);
        return new MetadataLog(file, MetadataFileHeader.BYTES, MetadataFileHeader.BYTES);
    }

    /**
     * Opens a log, hands every group to {@code replay}, and cuts what was never acknowledged. What was read is written
     * again, the same bytes in the same place, and forced: a flush that failed in an earlier run has left pages that look
     * clean and of which the device may hold nothing, and from here on others build upon them.
     *
     * @throws io.sluice.base.error.UserException when a part that had been flushed is damaged
     */
    static MetadataLog open(FileSystem files, Path directory, long startChange, Consumer<Group> replay)
            throws IOException {
        Path path = directory.resolve(fileName(startChange));
        StorageFile file = files.open(path, Access.READ_WRITE);
        boolean opened = false;
        try {
            ByteBuffer content = MetadataFiles.readWhole(file);
            MetadataFileHeader.require(path, content, MetadataFileHeader.LOG_MAGIC, startChange);
            int end = replay(path, content, startChange, replay);
            long allocatedEnd = content.limit();
            if (hasBytesFrom(content, end)) {
                file.truncate(end);
                allocatedEnd = end;
            }
            file.write(content.position(0).limit(end), 0);
            file.force(true);
            opened = true;
            return new MetadataLog(file, end, allocatedEnd);
        } finally {
            if (!opened) {
                file.close();
            }
        }
    }

    /**
     * Hands every whole group to {@code replay}, in order.
     *
     * @return where the last whole group ends
     */
    private static int replay(Path path, ByteBuffer content, long startChange, Consumer<Group> replay) {
        int at = MetadataFileHeader.BYTES;
        long expected = startChange + 1;
        while (true) {
            ByteBuffer body = MetadataFrame.body(content.position(at), MetadataFrame.GROUP_MAGIC, at);
            if (body == null) {
                requireNothingBehind(path, content, at);
                return at;
            }
            int bodyBytes = body.remaining();
            Group group = decode(path, body, at);
            if (group.firstChange() != expected) {
                throw MetadataFileHeader.damaged(path, at);
            }
            replay.accept(group);
            expected += group.changes().size();
            at += MetadataFrame.HEADER_BYTES + bodyBytes;
        }
    }

    private static Group decode(Path path, ByteBuffer body, int at) {
        try {
            return MetadataFrame.decodeGroup(body);
        } catch (IllegalArgumentException | java.nio.BufferUnderflowException e) {
            throw MetadataFileHeader.damaged(path, at);
        }
    }

    private static void requireNothingBehind(Path path, ByteBuffer content, int damagedAt) {
        for (int at = damagedAt + 1; at <= content.limit() - MetadataFrame.HEADER_BYTES; at++) {
            if (MetadataFrame.body(content.position(at), MetadataFrame.GROUP_MAGIC, at) != null) {
                throw MetadataFileHeader.damaged(path, damagedAt);
            }
        }
    }

    private static boolean hasBytesFrom(ByteBuffer content, int from) {
        for (int at = from; at < content.limit(); at++) {
            if (content.get(at) != 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Appends a group and returns when it is durable.
     *
     * @throws OutOfSpaceException when there was no room; nothing has changed, and a later append may succeed
     * @throws IOException when the outcome is unknown; never append again
     */
    void append(Group group) throws IOException {
        ByteBuffer frame = MetadataFrame.encodeGroup(group, end);
        int frameBytes = frame.remaining();
        boolean grown = allocate(end + frameBytes);
        try {
            file.write(frame, end);
            file.force(grown);
        } catch (OutOfSpaceException e) { // the frame may be there whole, so it is not as if nothing had changed
            throw new IOException("no room where room had been allocated", e);
        }
        end += frameBytes;
    }

    /** Where it is. */
    Path path() {
        return file.path();
    }

    /** Bytes in use. */
    long sizeInBytes() {
        return end;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private boolean allocate(long wantedEnd) throws IOException {
        if (wantedEnd <= allocatedEnd) {
            return false;
        }
        OutOfSpaceException tight = tryAllocate(roundUp(wantedEnd, ALLOCATION_BYTES));
        if (tight != null && tryAllocate(roundUp(wantedEnd, SMALLEST_ALLOCATION_BYTES)) != null) {
            throw tight;
        }
        return true;
    }

    private @Nullable OutOfSpaceException tryAllocate(long newEnd) throws IOException {
        try {
            file.preallocate(allocatedEnd, newEnd - allocatedEnd);
            allocatedEnd = newEnd;
            return null;
        } catch (OutOfSpaceException e) {
            file.truncate(allocatedEnd);
            return e;
        }
    }

    private static long roundUp(long value, long unit) {
        return (value + unit - 1) / unit * unit;
    }
}
