package io.sluice.storage.local.aborted;

import java.io.IOException;

/** It is not known which transactions were aborted in a range of offsets: the file that says so is missing or damaged. */
public final class UnreadableChunkException extends IOException {
    private static final long serialVersionUID = 1;

    private final long firstOffset;

    UnreadableChunkException(AbortedChunk chunk, ChunkLoss loss) {
        super("which transactions were aborted between offsets " + chunk.lowestFirst() + " and " + chunk.lastMarker()
                + " is not known: " + loss.why());
        this.firstOffset = chunk.lowestFirst();
    }

    /** Where the first of those transactions began: what lies before can be read. */
    public long firstOffset() {
        return firstOffset;
    }
}
