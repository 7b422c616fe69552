package io.sluice.storage.journal;

/** What one turn of the flush thread writes. Guarded by the journal's lock until it is taken, then the flush thread's own. */
sealed interface PendingGroup permits GroupBuffer, RetainedEntry {
    /** The position after its last entry. */
    long endPosition();

    /** When its first entry arrived, by the monotonic clock. */
    long firstArrivalNanos();

    /** Bytes of entries in it. */
    int entryBytes();

    /** Bytes that were reserved on the device for it. */
    long reservedRoom();

    /** Gives its memory back. */
    void release();
}
