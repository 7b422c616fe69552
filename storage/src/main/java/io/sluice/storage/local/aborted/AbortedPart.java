package io.sluice.storage.local.aborted;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A run of aborted transactions in the order of their markers, in the heap or in a file. */
sealed interface AbortedPart permits AbortedBlock, AbortedChunk {
    /** Less than every offset. */
    long NONE = -1;

    /** Offset of the last one's marker; {@link #NONE} of a part that holds none. */
    long lastMarker();

    /** Where the one that began first begins; {@link Long#MAX_VALUE} of a part that holds none. */
    long lowestFirst();

    /** The last stable offset once the last one's marker was appended; {@link #NONE} of a part that holds none. */
    long lastStable();

    /** What it holds, or null where it has to be read for that. */
    @Nullable AbortedBlock inMemory();

    /**
     * What it holds. May block on the disk.
     *
     * @throws UnreadableChunkException if it will not be known before the next start
     */
    AbortedBlock read() throws IOException;
}
