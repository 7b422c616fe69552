package io.sluice.storage.journal;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Looks at the files of a journal without changing anything, whole or broken: for people and their tools. */
public final class JournalInspection {
    private JournalInspection() {}

    /** Hears what is in a journal, file by file, oldest first. */
    public interface Visitor {
        /** A file begins. */
        void onFile(FileDescription file);

        /** A whole block. */
        void onBlock(BlockDescription block);

        /** An entry, or a part of one, in the block before. */
        void onEntry(EntryDescription entry);

        /**
         * The file's blocks end here.
         *
         * @param position of the first byte behind the last whole block
         * @param laterBlocks whether whole blocks, written later, follow behind the hole: damage
         */
        void onEnd(Path file, long position, boolean laterBlocks);
    }

    /**
     * A file.
     *
     * @param generation 0 for a spare file, -1 for one without a whole header
     * @param previousGeneration of the file that comes before it, 0 for none
     */
    public record FileDescription(
            Path file,
            long bytes,
            long generation,
            long previousGeneration,
            long firstSequence,
            long position,
            long releasedPosition) {}

    /**
     * A block.
     *
     * @param filePosition where it begins in its file
     * @param bytes without padding
     * @param position after the last entry that ended before it
     * @param releasedPosition nothing before it was needed when it was written
     * @param cleanStop whether it is the marker of a clean stop
     */
    public record BlockDescription(
            long filePosition, int bytes, long sequence, long position, long releasedPosition, boolean cleanStop) {}

    /**
     * An entry or a part of one.
     *
     * @param kind null for a code that no kind has
     * @param part "whole", "first", "middle" or "last"
     * @param bytes of the payload in this part
     * @param payloadBytes of the whole payload
     */
    public record EntryDescription(
            @Nullable JournalEntryKind kind, String part, long logId, long argument, int bytes, int payloadBytes) {}

    /** Shows everything to the visitor. */
    public static void inspect(FileSystem files, Path directory, Visitor visitor) throws IOException {
        for (JournalDirectory.Found found : JournalDirectory.scan(files, directory)) {
            FileHeader header = found.header();
            visitor.onFile(describe(found, header));
            if (header != null && !header.isSpare()) {
                StorageFile file = files.open(found.path(), FileSystem.Access.READ);
                try (BlockReader blocks = new BlockReader(file, header)) {
                    inspectBlocks(blocks, visitor);
                    visitor.onEnd(found.path(), blocks.position(), blocks.hasLaterBlocks());
                }
            }
        }
    }

    private static FileDescription describe(JournalDirectory.Found found, @Nullable FileHeader header) {
        return header == null
                ? new FileDescription(found.path(), found.size(), -1, 0, 0, 0, 0)
                : new FileDescription(
                        found.path(),
                        found.size(),
                        header.generation(),
                        header.previousGeneration(),
                        header.firstSequence(),
                        header.position(),
                        header.releasedPosition());
    }

    private static void inspectBlocks(BlockReader blocks, Visitor visitor) throws IOException {
        long at = blocks.position();
        while (blocks.next()) {
            visitor.onBlock(new BlockDescription(
                    at,
                    blocks.length(),
                    blocks.sequence(),
                    blocks.entriesBefore(),
                    blocks.releasedPosition(),
                    blocks.isCleanStop()));
            inspectEntries(blocks.entries(), visitor);
            at = blocks.position();
        }
    }

    private static void inspectEntries(ByteBuffer entries, Visitor visitor) {
        int at = 0;
        while (at + JournalFormat.ENTRY_HEADER_BYTES <= entries.limit()) {
            int bytes = entries.getInt(at);
            visitor.onEntry(new EntryDescription(
                    JournalEntryKind.ofCode(entries.get(at + JournalFormat.ENTRY_KIND_AT)),
                    partName(entries.get(at + JournalFormat.ENTRY_PART_AT)),
                    entries.getLong(at + JournalFormat.ENTRY_LOG_ID_AT),
                    entries.getLong(at + JournalFormat.ENTRY_ARGUMENT_AT),
                    bytes,
                    entries.getInt(at + JournalFormat.ENTRY_PAYLOAD_BYTES_AT)));
            at += JournalFormat.ENTRY_HEADER_BYTES + Math.max(0, bytes);
        }
    }

    private static String partName(byte part) {
        return switch (part) {
            case JournalFormat.PART_WHOLE -> "whole";
            case JournalFormat.PART_FIRST -> "first";
            case JournalFormat.PART_MIDDLE -> "middle";
            case JournalFormat.PART_LAST -> "last";
            default -> "part " + part;
        };
    }
}
