package io.sluice.storage.journal;

import io.netty.buffer.ByteBuf;

/**
 * An entry too large to be copied: its payload is retained and written from where it is, in fragments, one block each.
 *
 * @param payload owned: released once
 */
record LargeEntry(
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
