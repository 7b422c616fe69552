package io.sluice.storage.journal;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * A journal directory between the moment it is opened and the moment it is written again. For one thread.
 *
 * <p>The engine's start, in order:
 *
 * <ol>
 *   <li>open the directory: the surviving entries are settled and stable from here on, and nothing was changed;
 *   <li>if {@link #endedCleanly()} is false, raise the leader epoch of every partition;
 *   <li>{@link #replay}: entries come in the order in which they were appended, so one pass restores every log. An
 *       entry may be in its segment already, wholly, partly or not at all; compare offsets and write only what is missing.
 *       Skip ids that the catalogue does not know. The journal's last entry of a log is the last word on it: what its
 *       segment holds beyond, after an unclean end, was never acknowledged and is cut;
 *   <li>{@link #start}: from here on the journal takes appends. Positions go on where the replayed ones ended, so a
 *       position noted during replay can be given to {@link Journal#releaseBefore} once the segments were forced.
 * </ol>
 */
public interface JournalRecovery {
    /** Whether nothing was ever written here. */
    boolean isNew();

    /** Whether the last run ended with the clean-stop marker (true, too, for a directory that was never written). */
    boolean endedCleanly();

    /** Nothing before this position is in the journal any more, or need be. */
    long releasedPosition();

    /** The position after the last surviving entry. */
    long endPosition();

    /**
     * Walks over the surviving entries that were not released. May be repeated, and tells the same again.
     *
     * @throws JournalDamagedException where entries that had been acknowledged are missing or broken in the middle; a
     *     group that was being written when the process ended is no damage and ends the walk quietly
     */
    void replay(EntryVisitor visitor) throws IOException;

    /**
     * Begins a new generation, in another file, behind the surviving entries. Requires that {@link #replay} has returned.
     * Once only.
     */
    Journal start(JournalResources resources) throws IOException;

    /** Takes the entries of a replay. */
    @FunctionalInterface
    interface EntryVisitor {
        /**
         * One entry.
         *
         * @param kind what it is
         * @param logId the log it concerns
         * @param argument kind-specific number, as it was appended
         * @param payload readable bytes are the payload; valid during the call only
         * @param endPosition the position after the entry, as {@link Journal#append} returned it
         */
        void onEntry(JournalEntryKind kind, long logId, long argument, ByteBuf payload, long endPosition)
                throws IOException;
    }
}
