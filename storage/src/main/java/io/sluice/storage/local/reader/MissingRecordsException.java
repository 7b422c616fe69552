package io.sluice.storage.local.reader;

import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentLoss;
import java.io.IOException;

/** Records are wanted that a start has found missing: their file was removed or made shorter. */
public final class MissingRecordsException extends IOException {
    private static final long serialVersionUID = 1;

    /** Names file and offsets. */
    public MissingRecordsException(Segment segment, SegmentLoss loss) {
        super("offsets " + loss.firstOffset() + " to " + (segment.nextOffset() - 1) + " are missing: "
                + segment.file().path()
                + (loss.fileMissing()
                        ? " is not there"
                        : " ends at byte " + loss.position() + " and had " + segment.sizeBytes() + " bytes"));
    }
}
