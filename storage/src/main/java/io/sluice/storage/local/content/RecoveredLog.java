package io.sluice.storage.local.content;

import io.sluice.storage.local.segment.Deletable;
import io.sluice.storage.local.segment.Segment;
import java.util.ArrayList;
import java.util.List;

/** A log between recovery and its opening: its contents, and how they differ from the catalogue. For one thread. */
public final class RecoveredLog {
    private final LogContents contents;
    private final List<Segment> dropped = new ArrayList<>(0);
    private int anchorPosition;
    private long missingFrom = -1;
    private long searchedEnd = -1;
    private long searchedStart;
    private int searchedEpoch;
    private boolean dataReplayed;
    private boolean metaReplayed;
    private boolean rolled;

    RecoveredLog(LogContents contents) {
        this.contents = contents;
    }

    /** What was recovered. */
    public LogContents contents() {
        return contents;
    }

    /** Bytes of the active segment that the catalogue knows; the journal is needed from there on. */
    public int anchorPosition() {
        return anchorPosition;
    }

    /** Whether batches were replayed that the catalogue does not know. */
    public boolean isDataReplayed() {
        return dataReplayed;
    }

    /** Whether epochs, flags or the start offset differ from the catalogue. */
    public boolean isMetaReplayed() {
        return metaReplayed;
    }

    /** Whether segments began that the catalogue does not know. */
    public boolean isRolled() {
        return rolled;
    }

    void setAnchor() {
        Segment active = contents.active();
        anchorPosition = active == null ? 0 : active.sizeBytes();
    }

    void onDataReplayed() {
        dataReplayed = true;
    }

    void onMetaReplayed() {
        metaReplayed = true;
    }

    void onRolled(boolean first) {
        rolled |= !first;
    }

    /**
     * Whether its segments may hold more of a log that bypasses the journal than a search for it has found: it has another
     * end, start or epoch than at the last one. Every entry beyond the end asks for one.
     */
    boolean isSearchDue() {
        return searchedEnd != contents.endOffset()
                || searchedStart != contents.logStartOffset()
                || searchedEpoch != contents.epochs().latest();
    }

    /** Its segments were searched, and its end is behind all that was found. */
    void onSearched() {
        searchedEnd = contents.endOffset();
        searchedStart = contents.logStartOffset();
        searchedEpoch = contents.epochs().latest();
    }

    /** An entry lies beyond the end; it may come again, copied forward, after the ones before it. */
    void onGap(long baseOffset) {
        missingFrom = Math.max(missingFrom, baseOffset);
    }

    long missingFrom() {
        return missingFrom;
    }

    /** Segments that are no longer part of it; their files are still there. */
    public List<Segment> dropped() {
        return dropped;
    }

    void deleteDropped() {
        Deletable.deleteAll(dropped);
        dropped.clear();
    }
}
