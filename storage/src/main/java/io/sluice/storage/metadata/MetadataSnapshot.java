package io.sluice.storage.metadata;

import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.FileSystem.Access;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.metadata.MetadataFrame.Group;
import io.sluice.storage.metadata.MetadataState.Change;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The whole state in one file, so that the log before it can go. Written beside, flushed, then renamed. */
final class MetadataSnapshot {
    private static final int CHUNK_BYTES = 1 << 20;

    private MetadataSnapshot() {}

    static String fileName(long change) {
        return String.format("state-%020d.snapshot", change);
    }

    /**
     * Writes the state beside; nothing reads it until {@link #commit}.
     *
     * @param change number of the last change in it
     * @return its size in bytes
     */
    static long prepare(FileSystem files, Path directory, long change, MetadataState state) throws IOException {
        Path unfinished = unfinished(directory, change);
        files.delete(unfinished);
        try (StorageFile file = files.create(unfinished)) {
            ByteBuffer header = MetadataFileHeader.encode(MetadataFileHeader.SNAPSHOT_MAGIC, change);
            file.write(header, 0);
            long at = MetadataFileHeader.BYTES;
            List<Change> chunk = new ArrayList<>();
            int chunkBytes = 0;
            for (Entry entry : state.all()) {
                Change put = new Change(entry.key(), entry);
                chunk.add(put);
                chunkBytes += MetadataFrame.sizeOf(put);
                if (chunkBytes >= CHUNK_BYTES) {
                    at = write(file, chunk, change, at);
                    chunk.clear();
                    chunkBytes = 0;
                }
            }
            at = write(file, chunk, change, at);
            ByteBuffer end = MetadataFrame.encodeEnd(state.size(), at);
            at += end.remaining();
            file.write(end, at - end.remaining());
            file.force(true);
            return at;
        }
    }

    /** Gives the prepared snapshot its name, which is durable once the directory has been forced. */
    static void commit(FileSystem files, Path directory, long change) throws IOException {
        files.rename(unfinished(directory, change), directory.resolve(fileName(change)));
    }

    /**
     * Reads a snapshot.
     *
     * @throws io.sluice.base.error.UserException when it is damaged
     */
    static MetadataState read(FileSystem files, Path directory, long change) throws IOException {
        Path path = directory.resolve(fileName(change));
        try (StorageFile file = files.open(path, Access.READ)) {
            ByteBuffer content = MetadataFiles.readWhole(file);
            MetadataFileHeader.require(path, content, MetadataFileHeader.SNAPSHOT_MAGIC, change);
            return decode(path, content);
        }
    }

    private static MetadataState decode(Path path, ByteBuffer content) {
        MetadataState state = MetadataState.EMPTY;
        int at = MetadataFileHeader.BYTES;
        while (true) {
            ByteBuffer body = MetadataFrame.body(content.position(at), MetadataFrame.GROUP_MAGIC, at);
            if (body == null) {
                ByteBuffer end = MetadataFrame.body(content.position(at), MetadataFrame.END_MAGIC, at);
                if (end == null || end.remaining() != Long.BYTES || end.getLong() != state.size()) {
                    throw MetadataFileHeader.damaged(path, at);
                }
                return state;
            }
            at += MetadataFrame.HEADER_BYTES + body.remaining();
            for (List<Change> chunk : MetadataFrame.decodeGroup(body).changes()) {
                for (Change put : chunk) {
                    state = state.with(put);
                }
            }
        }
    }

    private static long write(StorageFile file, List<Change> chunk, long change, long at) throws IOException {
        ByteBuffer frame = MetadataFrame.encodeGroup(new Group(change, List.of(List.copyOf(chunk))), at);
        long end = at + frame.remaining();
        file.write(frame, at);
        return end;
    }

    private static Path unfinished(Path directory, long change) {
        return directory.resolve(fileName(change) + MetadataFiles.UNFINISHED);
    }
}
