package io.sluice.storage.local.aborted;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The aborted transactions of one log that readers must be told of: old ones in files of which only descriptors are in the
 * heap, the newest in the heap. All changes are for the holder of the append lock; {@link #view} is safe on every thread.
 */
public final class AbortedTransactions {
    /** Full blocks that a checkpoint leaves in the heap: readers near the end need no file. */
    static final int KEPT_BLOCKS = 1;

    private final int blockEntries;
    private final List<AbortedChunk> dropped = new ArrayList<>(0);
    private volatile AbortedView view = AbortedView.NONE;

    /**
     * None.
     *
     * @param blockEntries transactions in a block
     */
    public AbortedTransactions(int blockEntries) {
        this.blockEntries = blockEntries;
    }

    /** As they are now. */
    public AbortedView view() {
        return view;
    }

    /** One more was aborted; {@code stableOffset} is the last stable offset once its marker was appended. */
    public void add(long producerId, long firstOffset, long markerOffset, long stableOffset) {
        AbortedView current = view;
        AbortedView next = current;
        if (current == AbortedView.NONE || current.tail().count() == blockEntries) {
            next = current.withTail(new AbortedBlock());
        }
        next.tail().add(producerId, firstOffset, markerOffset, stableOffset);
        if (next != current) {
            view = next;
        }
    }

    /**
     * Forgets those that ended before an offset: the log start has passed them, or nothing of their data is left. A cleaner
     * calls this once their data is gone and before the marker of any of them goes, so that no reader is told of one whose
     * marker it does not see.
     */
    public void forgetBelow(long offset) {
        AbortedView current = view;
        if (current == AbortedView.NONE || offset <= current.floor()) {
            return;
        }
        int gone = current.firstEndingAtOrAfter(offset);
        for (int i = 0; i < gone; i++) {
            if (current.full()[i] instanceof AbortedChunk chunk) {
                dropped.add(chunk);
            }
        }
        view = current.from(offset);
    }

    /** Chunks that no longer belong to the log: their files can go once the catalogue does not name them. */
    public List<AbortedChunk> takeDropped() {
        if (dropped.isEmpty()) {
            return List.of();
        }
        List<AbortedChunk> taken = List.copyOf(dropped);
        dropped.clear();
        return taken;
    }

    /** Whether a checkpoint has something to {@link #prepareMove move} to files. On every thread. */
    public boolean isMoveDue() {
        return !due(view).isEmpty();
    }

    /**
     * Writes the blocks that the heap shall not keep to files, without a lock; {@link Move#finish} then puts these in their
     * place. For one thread at a time. May block on the disk.
     */
    public Move prepareMove(AbortedChunks files) {
        List<AbortedBlock> blocks = due(view);
        return new Move(blocks, files.write(blocks));
    }

    private static List<AbortedBlock> due(AbortedView current) {
        List<AbortedBlock> blocks = new ArrayList<>(0);
        AbortedPart[] full = current.full();
        for (int i = full.length - 1 - KEPT_BLOCKS; i >= 0 && full[i] instanceof AbortedBlock block; i--) {
            blocks.add(0, block);
        }
        return blocks;
    }

    /** Blocks that were written to files. */
    public final class Move {
        private final List<AbortedBlock> blocks;
        private final List<AbortedChunk> written;

        private Move(List<AbortedBlock> blocks, List<AbortedChunk> written) {
            this.blocks = blocks;
            this.written = written;
        }

        /** Lets the heap go of them; for the holder of the append lock. Those that were forgotten meanwhile are dropped. */
        public void finish() {
            for (int i = 0; i < written.size(); i++) {
                AbortedView current = view;
                int at = indexOf(current, blocks.get(i));
                if (at < 0) {
                    dropped.add(written.get(i));
                } else {
                    view = current.with(at, written.get(i));
                }
            }
        }

        private int indexOf(AbortedView current, AbortedBlock block) {
            for (int i = 0; i < current.full().length; i++) {
                if (current.full()[i] == block) {
                    return i;
                }
            }
            return -1;
        }
    }

    /** Those in files. On every thread. */
    public List<AbortedChunk> chunks() {
        List<AbortedChunk> chunks = new ArrayList<>(0);
        for (AbortedPart part : view.full()) {
            if (part instanceof AbortedChunk chunk) {
                chunks.add(chunk);
            }
        }
        return chunks;
    }

    /** How many are in the heap. On every thread. */
    public int inHeap() {
        AbortedView current = view;
        int count = current.tail().count();
        for (AbortedPart part : current.full()) {
            count += part instanceof AbortedBlock block ? block.count() : 0;
        }
        return count;
    }

    private static List<AbortedBlock> blocks(AbortedView current) {
        List<AbortedBlock> blocks = new ArrayList<>(2);
        for (AbortedPart part : current.full()) {
            if (part instanceof AbortedBlock block) {
                blocks.add(block);
            }
        }
        blocks.add(current.tail());
        return blocks;
    }

    /** How many bytes {@link #writeTo} writes. */
    public int sizeInBytes() {
        AbortedView current = view;
        int bytes = 2 * Integer.BYTES + chunks().size() * AbortedChunk.BYTES;
        for (AbortedBlock block : blocks(current)) {
            bytes += (block.count() - block.endingBefore(current.floor())) * AbortedBlock.ENTRY_BYTES;
        }
        return bytes;
    }

    /** Writes the descriptors of those in files, and the others; docs/formats/catalogue.md has the layout. */
    public void writeTo(ByteBuf out) {
        AbortedView current = view;
        List<AbortedChunk> chunks = chunks();
        out.writeInt(chunks.size());
        chunks.forEach(chunk -> chunk.writeTo(out));
        int countAt = out.writerIndex();
        int total = 0;
        out.writeInt(total);
        for (AbortedBlock block : blocks(current)) {
            int from = block.endingBefore(current.floor());
            int count = block.count() - from;
            ByteBuffer entries = ByteBuffer.allocate(count * AbortedBlock.ENTRY_BYTES);
            block.writeTo(entries, from);
            out.writeBytes(entries.flip());
            total += count;
        }
        out.setInt(countAt, total);
    }

    /**
     * Reads what {@link #writeTo} wrote.
     *
     * @param files of the log
     * @param withChunks whether descriptors come first, as in all but records of catalogues of format 2
     */
    public void readFrom(ByteBuf in, AbortedChunks files, boolean withChunks) {
        int chunks = withChunks ? in.readInt() : 0;
        AbortedPart[] full = new AbortedPart[chunks];
        for (int i = 0; i < chunks; i++) {
            AbortedChunk chunk = new AbortedChunk(files, in);
            files.use(chunk.firstMarker());
            full[i] = chunk;
        }
        if (chunks > 0) {
            view = new AbortedView(full, new AbortedBlock(), 0);
        }
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            add(in.readLong(), in.readLong(), in.readLong(), in.readLong());
        }
    }
}
