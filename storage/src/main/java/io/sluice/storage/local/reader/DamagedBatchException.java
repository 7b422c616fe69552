package io.sluice.storage.local.reader;

import io.sluice.storage.local.segment.Segment;
import java.io.IOException;

/**
 * The bytes at a position are no sound batch. Expected by the callers of this package, who answer with it. Making one puts
 * the place into the segment's quarantine.
 */
public final class DamagedBatchException extends IOException {
    private final String file;
    private final int position;
    private final long offset;
    private final boolean firstSeen;

    /**
     * Names the place.
     *
     * @param position where the batch begins
     * @param offset first offset that cannot be read
     */
    public DamagedBatchException(Segment segment, int position, long offset) {
        super("damaged batch in " + segment.file().path() + " at position " + position + ", offset " + offset);
        this.file = segment.file().path().toString();
        this.position = position;
        this.offset = offset;
        this.firstSeen = segment.quarantine().add(position, offset);
    }

    /** The segment's file. */
    public String file() {
        return file;
    }

    /** Where the batch begins. */
    public int position() {
        return position;
    }

    /** First offset that cannot be read. */
    public long offset() {
        return offset;
    }

    /** Whether this is the first time that the place was found damaged. */
    public boolean isFirstSeen() {
        return firstSeen;
    }
}
