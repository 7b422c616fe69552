package io.sluice.storage.local.aborted;

import io.sluice.base.error.FileFailures;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.segment.LogDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.LongHashSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one log that hold aborted transactions. A file has the offset of its first marker for a name, is durable
 * before the catalogue names it, and goes once the catalogue no longer does; one that it does not name is left of a crash.
 * Safe on every thread that may block on the disk.
 */
public final class AbortedChunks {
    private static final Logger LOG = LoggerFactory.getLogger(AbortedChunks.class);

    private final LogDirectory directory;
    private final ChunkCache cache;
    /** Names that are not left of a crash; guarded by this. */
    private @Nullable LongHashSet used;

    /**
     * None that are known yet.
     *
     * @param directory of the log
     * @param cache of all logs
     */
    public AbortedChunks(LogDirectory directory, ChunkCache cache) {
        this.directory = directory;
        this.cache = cache;
    }

    ChunkCache cache() {
        return cache;
    }

    /** How many transactions are in a block. */
    public int blockEntries() {
        return cache.blockEntries();
    }

    Path path(long firstMarker) {
        return directory.resolve(ChunkFile.name(firstMarker));
    }

    /** From now on the file is none that a crash has left. */
    synchronized void use(long firstMarker) {
        if (used == null) {
            used = new LongHashSet();
        }
        used.add(firstMarker);
    }

    /**
     * Writes blocks to files of their own, durably, in order, until one cannot be written: those stay in the heap, and in the
     * catalogue's record, until the next time. After a force that failed the store is fenced already.
     *
     * @return what was written, the first blocks
     */
    List<AbortedChunk> write(List<AbortedBlock> blocks) {
        List<AbortedChunk> written = new ArrayList<>();
        try {
            for (AbortedBlock block : blocks) {
                written.add(write(block));
            }
        } catch (IOException e) {
            warn(e);
        }
        if (written.isEmpty()) {
            return written;
        }
        try {
            directory.forceNames();
            return written;
        } catch (IOException e) {
            warn(e);
            written.forEach(this::discard);
            return List.of();
        }
    }

    private void warn(IOException why) {
        LOG.warn(
                "aborted transactions stay in memory because they cannot be written directory={} reason={}",
                directory.path(),
                FileFailures.text(why));
    }

    private AbortedChunk write(AbortedBlock block) throws IOException {
        ByteBuffer bytes = ChunkFile.encode(block);
        AbortedChunk chunk = new AbortedChunk(this, block, bytes.getInt(ChunkFile.CRC_AT));
        use(chunk.firstMarker());
        boolean done = false;
        try {
            directory.writeFile(ChunkFile.name(chunk.firstMarker()), bytes);
            done = true;
            return chunk;
        } finally {
            if (!done) {
                discard(chunk);
            }
        }
    }

    private void discard(AbortedChunk chunk) {
        try {
            delete(chunk);
        } catch (IOException e) {
            LOG.debug("an unfinished file is left to the next start file={}", chunk.path(), e);
        }
    }

    void delete(AbortedChunk chunk) throws IOException {
        synchronized (this) {
            if (used != null) {
                used.remove(chunk.firstMarker());
            }
        }
        cache.remove(chunk);
        directory.fileSystem().delete(chunk.path());
    }

    private synchronized boolean isUsed(AbortedChunk chunk) {
        return used != null && used.contains(chunk.firstMarker());
    }

    /**
     * Deletes a file of the log's directory if a crash has left it: it has the name of such a file, and is not known.
     *
     * @return whether it was
     */
    public boolean deleteIfLeftBehind(String fileName) throws IOException {
        long firstMarker = ChunkFile.firstMarkerOf(fileName);
        if (firstMarker < 0) {
            return false;
        }
        synchronized (this) { // a checkpoint may be about to write one of the same name
            if (used != null && used.contains(firstMarker)) {
                return false;
            }
            directory.fileSystem().delete(directory.resolve(fileName));
            return true;
        }
    }

    /** Compares a chunk with its file's size, before it is used. */
    public void findLoss(AbortedChunk chunk) throws IOException {
        long there = directory.fileSystem().sizeOf(chunk.path());
        int expected = ChunkFile.sizeInBytes(chunk.count());
        if (there < 0) {
            chunk.setLoss(new ChunkLoss(chunk.path() + " is not there", true));
        } else if (there != expected) {
            chunk.setLoss(new ChunkLoss(chunk.path() + " has " + there + " bytes instead of " + expected, false));
        }
    }

    /**
     * Reads a chunk. What is found wrong with it stays so until the next start.
     *
     * @throws NoSuchFileException if the log has forgotten it meanwhile
     */
    AbortedBlock load(AbortedChunk chunk) throws IOException {
        ChunkLoss known = chunk.loss();
        if (known != null) {
            throw new UnreadableChunkException(chunk, known);
        }
        ByteBuffer bytes = ByteBuffer.allocate(ChunkFile.sizeInBytes(chunk.count()));
        Path path = chunk.path();
        try (StorageFile file = directory.fileSystem().open(path, FileSystem.Access.READ)) {
            file.read(bytes, 0);
        } catch (NoSuchFileException e) {
            if (isUsed(chunk)) {
                throw lost(chunk, new ChunkLoss(path + " is not there", true));
            }
            throw e; // the log has forgotten it meanwhile
        }
        String damage = ChunkFile.damage(bytes.clear(), chunk);
        if (damage != null) {
            throw lost(chunk, new ChunkLoss(path + " " + damage, false));
        }
        AbortedBlock block = ChunkFile.decode(bytes);
        cache.put(chunk, block);
        return block;
    }

    private static UnreadableChunkException lost(AbortedChunk chunk, ChunkLoss loss) {
        chunk.setLoss(loss);
        return new UnreadableChunkException(chunk, loss);
    }
}
