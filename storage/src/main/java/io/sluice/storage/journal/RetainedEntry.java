package io.sluice.storage.journal;

import io.netty.buffer.ByteBuf;

/**
 * An entry that is not copied, most often because it is too large: its payload is retained and written from where it is, in
 * fragments, one block each.
 *
 * @param payload owned: released once
 */
record RetainedEntry(
        JournalEntryKind kind,
        long logId,
        long argument,
        ByteBuf payload,
        long endPosition,
        long firstArrivalNanos,
        long reservedRoom)
        implements PendingGroup {
    @Override
    public int entryBytes() {
        return JournalFormat.ENTRY_HEADER_BYTES + payload.readableBytes();
    }

    @Override
    public void release() {
        payload.release();
    }
}
