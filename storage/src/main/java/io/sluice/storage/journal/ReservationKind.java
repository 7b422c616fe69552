package io.sluice.storage.journal;

/** What room is set aside for. */
enum ReservationKind {
    /** One entry. */
    ENTRY,
    /** A batch's entry and the one, without payload, of the segment that it begins. */
    WITH_SEGMENT,
    /** An entry that makes others releasable: the bound on what a restart replays does not hold for it. */
    FOR_CHECKPOINT
}
