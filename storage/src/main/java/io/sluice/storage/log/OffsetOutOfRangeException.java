package io.sluice.storage.log;

/** A trim beyond what the log holds. */
public final class OffsetOutOfRangeException extends RuntimeException {
    /** Names the offset and the range. */
    public OffsetOutOfRangeException(long offset, long logStartOffset, long visibleOffset) {
        super("offset " + offset + " is not between " + logStartOffset + " and " + visibleOffset);
    }
}
