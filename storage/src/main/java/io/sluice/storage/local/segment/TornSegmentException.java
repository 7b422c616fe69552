package io.sluice.storage.local.segment;

import java.io.IOException;

/** A segment ends in part of a batch that could not be cut off: appending behind it would damage the log. */
public final class TornSegmentException extends IOException {
    /** Names the file. */
    public TornSegmentException(String message, IOException cause) {
        super(message, cause);
    }
}
