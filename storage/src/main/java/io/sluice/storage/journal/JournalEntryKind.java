package io.sluice.storage.journal;

import org.jspecify.annotations.Nullable;

/** Kinds of journal entries. Codes are on disk and never change meaning. */
public enum JournalEntryKind {
    /** A record batch; argument is its base offset. */
    BATCH(1),
    /** The log start offset moved; argument is the new one. */
    LOG_START_OFFSET(2),
    /** Everything from an offset on was cut; argument is that offset. */
    TRUNCATE(3),
    /** The log was deleted. */
    DELETE(4),
    /**
     * A leader epoch began; argument is the epoch, payload its start offset (8 bytes) and, in the local engine, the log's
     * flags and identity, so that a log made after the last checkpoint is known.
     */
    LEADER_EPOCH(5),
    /** A segment began; argument is its base offset. Batches that follow are in it. */
    SEGMENT(6);

    private static final JournalEntryKind[] VALUES = values();

    private final byte code;

    JournalEntryKind(int code) {
        this.code = (byte) code;
    }

    /** The byte on disk. */
    public byte code() {
        return code;
    }

    /** The kind with this code; null where no kind has it. */
    static @Nullable JournalEntryKind ofCode(byte code) {
        return code >= 1 && code <= VALUES.length ? VALUES[code - 1] : null;
    }
}
