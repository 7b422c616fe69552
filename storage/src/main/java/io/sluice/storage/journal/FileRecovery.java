package io.sluice.storage.journal;

import io.sluice.storage.file.DirectFile;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovery from the files of a journal directory.
 *
 * <p>The files that count form a chain: each header names the generation before it. The newest file's last whole block
 * says up to where everything was released; the chain is followed back from the newest file until that position is
 * reached. All files but the newest must hold every block that the next one's header counts on. In the newest, the first
 * block that is not whole and next in sequence is the end.
 */
final class FileRecovery implements JournalRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(FileRecovery.class);
    private static final int REWRITE_BYTES = 1 << 20;

    private final FileSystem files;
    private final Path directory;
    private final JournalConfig config;
    private final long owner;
    private final List<JournalDirectory.Found> found;
    private final List<JournalDirectory.Found> chain = new ArrayList<>();
    private UnreleasedBytes unreleased;
    private boolean isNew = true;
    private boolean endedCleanly = true;
    private long releasedPosition;
    private long nextSequence = 1;
    private long endPosition;
    private boolean tailIsEmpty;
    private boolean replayed;
    private boolean started;

    private FileRecovery(
            FileSystem files, Path directory, JournalConfig config, long owner, List<JournalDirectory.Found> found) {
        this.owner = owner;
        this.files = files;
        this.directory = directory;
        this.config = config;
        this.found = found;
        this.unreleased = noneUnreleased(config);
    }

    private static UnreleasedBytes noneUnreleased(JournalConfig config) {
        return new UnreleasedBytes(Math.max(4096, config.maxUnreleasedBytes() / 256));
    }

    static FileRecovery open(FileSystem files, Path directory, JournalConfig config, long owner) throws IOException {
        FileRecovery recovery =
                new FileRecovery(files, directory, config, owner, JournalDirectory.scan(files, directory));
        recovery.settle();
        return recovery;
    }

    // ---- what survived ----

    private void settle() throws IOException {
        JournalDirectory.Found tail = newestInUse();
        requireNothingNewer(tail == null ? 0 : tail.generation());
        if (tail == null) {
            return;
        }
        isNew = false;
        FileHeader header = requireHeader(tail);
        requireOurs(tail.path(), header);
        force(tail.path());
        readTail(tail, header);
        collectChain(tail, header);
    }

    /** A file may lose its header while it is put to use again; then it holds only blocks that are older than the newest file. */
    private void requireNothingNewer(long generation) throws IOException {
        for (JournalDirectory.Found file : found) {
            if (file.header() == null) {
                long newest = newestBlock(file.path());
                if (newest > generation) {
                    throw new JournalDamagedException(file.path() + ": the header is broken, and blocks of generation "
                            + newest + ", the newest, are behind it");
                }
            }
        }
    }

    private long newestBlock(Path path) throws IOException {
        try (StorageFile file = files.open(path, FileSystem.Access.READ)) {
            return new BlockSearch(file).newestGeneration();
        }
    }

    private JournalDirectory.@Nullable Found newestInUse() {
        JournalDirectory.Found last = found.isEmpty() ? null : found.get(found.size() - 1);
        return last != null && last.generation() > 0 ? last : null;
    }

    private void requireOurs(Path path, FileHeader header) throws JournalMismatchException {
        if (header.owner() != 0 && owner != 0 && header.owner() != owner) {
            throw JournalMismatchException.ofAnother(path + " was written for another data directory");
        }
    }

    /** What a process that was killed wrote without flushing would be lost with the power, later: flush it now. */
    private void force(Path path) throws IOException {
        try (StorageFile file = files.open(path, FileSystem.Access.READ_WRITE)) {
            file.force(false);
        }
    }

    /**
     * Where writes go through the page cache, a flush that failed in an earlier run has left pages that look clean and of
     * which the device may hold nothing; others will be built upon what was read of them. So they are written again, the
     * same bytes in the same place.
     */
    private void writeAgainWhatWasCached(Path path, long from, long end) throws IOException {
        if (mechanismOf(path) == DirectFile.Mechanism.DIRECT) {
            return;
        }
        ByteBuffer piece = ByteBuffer.allocate(REWRITE_BYTES);
        try (StorageFile file = files.open(path, FileSystem.Access.READ_WRITE)) {
            for (long at = from; at < end; at += piece.capacity()) {
                piece.clear().limit((int) Math.min(piece.capacity(), end - at));
                if (file.read(piece, at) < piece.limit()) {
                    throw new IOException(path + " has become shorter while it was read");
                }
                file.write(piece.flip(), at);
            }
            file.force(false);
        }
    }

    private DirectFile.Mechanism mechanismOf(Path path) throws IOException {
        try (DirectFile file = files.openDirect(path)) {
            return file.mechanism();
        }
    }

    private void readTail(JournalDirectory.Found tail, FileHeader header) throws IOException {
        releasedPosition = header.releasedPosition();
        endedCleanly = false;
        EntryAssembler assembler = new EntryAssembler((kind, logId, argument, payload, end) -> {}, 0);
        assembler.startAt(header.position());
        try (BlockReader blocks = reader(tail, header)) {
            while (blocks.next()) {
                assembler.onBlock(blocks, tail.path().toString());
                releasedPosition = blocks.releasedPosition();
                endedCleanly = blocks.isCleanStop();
            }
            if (blocks.hasLaterBlocks()) {
                throw new JournalDamagedException(tail.path() + ": block " + blocks.nextSequence() + " at byte "
                        + blocks.position() + " is broken although later ones are there");
            }
            if (blocks.hasBrokenBlock()) {
                reportBroken(tail.path(), blocks);
            }
            nextSequence = blocks.nextSequence();
            tailIsEmpty = nextSequence == header.firstSequence();
            endPosition = assembler.position();
            writeAgainWhatWasCached(tail.path(), header.alignment(), blocks.position());
        }
    }

    /** Nothing tells a block that was torn as it was written, which nobody was told of, from one that was damaged since. */
    private static void reportBroken(Path path, BlockReader blocks) {
        LOG.warn(
                "the last block of the journal is not whole and was left out: had the node not ended while it was written, by"
                        + " a power cut or a kill, it was damaged since and acknowledged records are lost file={} block={}"
                        + " position={}",
                path,
                blocks.nextSequence(),
                blocks.position());
    }

    private void collectChain(JournalDirectory.Found tail, FileHeader tailHeader) throws IOException {
        chain.add(tail);
        FileHeader header = tailHeader;
        int index = found.size() - 1;
        while (header.previousGeneration() != 0 && header.endOfEarlierEntries() > releasedPosition) {
            index--;
            JournalDirectory.Found before = index < 0 ? null : found.get(index);
            if (before == null || before.generation() != header.previousGeneration()) {
                throw new JournalDamagedException(directory + ": the file of generation "
                        + header.previousGeneration() + ", with entries from position " + releasedPosition
                        + " on, is missing or its header is broken");
            }
            chain.add(0, before);
            header = requireHeader(before);
        }
    }

    @Override
    public boolean isNew() {
        return isNew;
    }

    @Override
    public boolean endedCleanly() {
        return endedCleanly;
    }

    @Override
    public long releasedPosition() {
        return releasedPosition;
    }

    @Override
    public long endPosition() {
        return endPosition;
    }

    // ---- walking over it ----

    @Override
    public void replay(EntryVisitor visitor) throws IOException {
        EntryAssembler assembler = new EntryAssembler(visitor, releasedPosition);
        unreleased = noneUnreleased(config); // it may have been walked over before
        for (int i = 0; i < chain.size(); i++) {
            JournalDirectory.Found file = chain.get(i);
            FileHeader header = requireHeader(file);
            assembler.onFile(header, i == 0);
            boolean last = i + 1 == chain.size();
            walk(file, last ? nextSequence : requireHeader(chain.get(i + 1)).firstSequence(), assembler);
        }
        unreleased.release(releasedPosition, endPosition);
        replayed = true;
    }

    private void walk(JournalDirectory.Found file, long endSequence, EntryAssembler assembler) throws IOException {
        try (BlockReader blocks = reader(file, requireHeader(file))) {
            while (blocks.nextSequence() < endSequence) {
                long at = blocks.position();
                if (!blocks.next()) {
                    throw new JournalDamagedException(file.path() + ": block " + blocks.nextSequence() + " at byte "
                            + at + " is missing or broken, and blocks up to " + (endSequence - 1) + " were written");
                }
                unreleased.onBlock(blocks.entriesBefore(), blocks.position() - at);
                assembler.onBlock(blocks, file.path().toString());
            }
        }
    }

    private BlockReader reader(JournalDirectory.Found file, FileHeader header) throws IOException {
        return new BlockReader(files.open(file.path(), FileSystem.Access.READ), header);
    }

    private static FileHeader requireHeader(JournalDirectory.Found file) {
        FileHeader header = file.header();
        if (header == null) {
            throw new IllegalStateException(file.path() + " has no header");
        }
        return header;
    }

    // ---- going on behind it ----

    @Override
    public Journal start(JournalResources resources) throws IOException {
        if (!replayed || started) {
            throw new IllegalStateException("a recovered journal is replayed, then started once");
        }
        started = true;
        Object lock = new Object();
        int nextNumber = 1;
        long newestGeneration = 0;
        for (JournalDirectory.Found file : found) {
            nextNumber = Math.max(nextNumber, JournalDirectory.numberOf(file.path()) + 1);
            newestGeneration = Math.max(newestGeneration, file.generation());
        }
        SpareFiles spares = new SpareFiles(files, directory, config, resources.background(), lock, nextNumber);
        collectSpares(spares);
        JournalFile first = putFirstToUse(spares, newestGeneration + 1);
        JournalFiles running = new JournalFiles(lock, spares, config.maxBlockBytes(), owner, keptFiles(), first);
        LOG.atInfo()
                .addKeyValue("directory", directory)
                .addKeyValue("mechanism", running.mechanism())
                .addKeyValue("generation", first.generation())
                .addKeyValue("position", endPosition)
                .addKeyValue("unreleasedBytes", unreleased.bytes())
                .addKeyValue("clean", endedCleanly)
                .log("journal started");
        GroupCommitJournal journal = new GroupCommitJournal(
                new JournalStart(lock, config, running, nextSequence, endPosition, releasedPosition, unreleased),
                resources);
        journal.start();
        return journal;
    }

    /** Files outside the chain are free: whole ones of the right size become spares, others are deleted. */
    private void collectSpares(SpareFiles spares) throws IOException {
        for (JournalDirectory.Found file : found) {
            if (chain.contains(file)) {
                continue;
            }
            FileHeader header = file.header();
            if (header != null && header.capacity() == config.fileBytes()) {
                spares.add(JournalFile.spare(files.openDirect(file.path()), header.capacity()));
            } else {
                files.delete(file.path());
            }
        }
    }

    /** Takes the newest file if it holds no block, else a spare one, else makes one. */
    private JournalFile putFirstToUse(SpareFiles spares, long generation) throws IOException {
        JournalDirectory.Found tail = chain.isEmpty() ? null : chain.get(chain.size() - 1);
        long previousGeneration = tail == null ? 0 : tail.generation();
        JournalFile first;
        if (tail != null && tailIsEmpty) {
            FileHeader header = requireHeader(tail);
            previousGeneration = header.previousGeneration();
            first = JournalFile.spare(files.openDirect(tail.path()), header.capacity());
            chain.remove(tail);
        } else {
            JournalFile spare = spares.poll();
            first = spare != null ? spare : spares.createFirst();
        }
        JournalFiles.putToUse(
                first, generation, previousGeneration, nextSequence, endPosition, 0, releasedPosition, owner);
        return first;
    }

    private ArrayDeque<JournalFile> keptFiles() {
        ArrayDeque<JournalFile> kept = new ArrayDeque<>();
        for (int i = 0; i < chain.size(); i++) {
            JournalDirectory.Found file = chain.get(i);
            long lastPosition =
                    i + 1 < chain.size() ? requireHeader(chain.get(i + 1)).endOfEarlierEntries() : endPosition;
            kept.addLast(
                    JournalFile.kept(file.path(), requireHeader(file).capacity(), file.generation(), lastPosition));
        }
        return kept;
    }
}
