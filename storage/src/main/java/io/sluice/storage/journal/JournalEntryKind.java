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
    /** A leader epoch began; argument is the epoch, payload its start offset (8 bytes). */
    LEADER_EPOCH(5);

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
