package io.sluice.storage.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Makes entries of the fragments in blocks. For one thread. */
final class EntryAssembler {
    private final JournalRecovery.EntryVisitor visitor;
    private final long releasedPosition;
    private long position;
    private @Nullable ByteBuffer partial;

    EntryAssembler(JournalRecovery.EntryVisitor visitor, long releasedPosition) {
        this.visitor = visitor;
        this.releasedPosition = releasedPosition;
    }

    /** A file begins; what was begun before goes on in it only if its header says so. */
    void onFile(FileHeader header, boolean first) throws JournalDamagedException {
        if (header.continuedEntryEnd() == 0) {
            partial = null;
        } else if (partial == null && !(first && header.continuedEntryEnd() <= releasedPosition)) {
            throw new JournalDamagedException("generation " + header.generation()
                    + " goes on with an entry whose beginning is missing before it");
        }
        if (!first && header.position() != position) {
            throw new JournalDamagedException("generation " + header.generation() + " begins at entry position "
                    + header.position() + " where " + position + " was expected");
        }
        position = header.position();
    }

    /** Begins in the middle: the rest of an entry that began earlier is passed over. */
    void startAt(long entryPosition) {
        position = entryPosition;
    }

    /** The position after the last entry that ended. */
    long position() {
        return position;
    }

    /** Takes the entries of a block whose checksum was right. */
    void onBlock(BlockReader block, String file) throws IOException {
        if (block.entriesBefore() != position) {
            throw new JournalDamagedException(file + ": block " + block.sequence() + " begins at entry position "
                    + block.entriesBefore() + " where " + position + " was expected");
        }
        ByteBuffer entries = block.entries();
        int at = 0;
        while (at < entries.limit()) {
            at = onFragment(entries, at, file);
        }
    }

    private int onFragment(ByteBuffer entries, int at, String file) throws IOException {
        int bodyAt = at + JournalFormat.ENTRY_HEADER_BYTES;
        int fragmentBytes = bodyAt <= entries.limit() ? entries.getInt(at) : -1;
        if (fragmentBytes < 0 || bodyAt + fragmentBytes > entries.limit()) {
            throw new JournalDamagedException(file + ": an entry reaches beyond its block");
        }
        int payloadBytes = entries.getInt(at + JournalFormat.ENTRY_PAYLOAD_BYTES_AT);
        byte part = entries.get(at + JournalFormat.ENTRY_PART_AT);
        ByteBuffer fragment = entries.slice(bodyAt, fragmentBytes);
        if (part == JournalFormat.PART_WHOLE) {
            deliver(entries, at, fragment, payloadBytes, file);
        } else {
            assemble(entries, at, fragment, payloadBytes, file);
        }
        return bodyAt + fragmentBytes;
    }

    private void assemble(ByteBuffer entries, int at, ByteBuffer fragment, int payloadBytes, String file)
            throws IOException {
        byte part = entries.get(at + JournalFormat.ENTRY_PART_AT);
        if (part == JournalFormat.PART_FIRST) {
            partial = ByteBuffer.allocate(payloadBytes);
        }
        ByteBuffer whole = partial;
        if (whole == null) {
            // The rest of a released entry whose beginning is gone with its file.
            if (part == JournalFormat.PART_LAST) {
                position += JournalFormat.ENTRY_HEADER_BYTES + payloadBytes;
            }
            return;
        }
        if (whole.capacity() != payloadBytes || fragment.remaining() > whole.remaining()) {
            throw new JournalDamagedException(file + ": fragments of an entry do not fit together");
        }
        whole.put(fragment);
        if (part == JournalFormat.PART_LAST) {
            partial = null;
            deliver(entries, at, whole.flip(), payloadBytes, file);
        }
    }

    private void deliver(ByteBuffer entries, int at, ByteBuffer payload, int payloadBytes, String file)
            throws IOException {
        byte code = entries.get(at + JournalFormat.ENTRY_KIND_AT);
        JournalEntryKind kind = JournalEntryKind.ofCode(code);
        if (kind == null || payload.remaining() != payloadBytes) {
            throw new JournalDamagedException(file + ": an entry of kind " + code + " with " + payload.remaining()
                    + " of " + payloadBytes + " bytes");
        }
        position += JournalFormat.ENTRY_HEADER_BYTES + payloadBytes;
        if (position > releasedPosition) {
            ByteBuf bytes = Unpooled.wrappedBuffer(payload);
            long logId = entries.getLong(at + JournalFormat.ENTRY_LOG_ID_AT);
            visitor.onEntry(kind, logId, entries.getLong(at + JournalFormat.ENTRY_ARGUMENT_AT), bytes, position);
        }
    }
}
