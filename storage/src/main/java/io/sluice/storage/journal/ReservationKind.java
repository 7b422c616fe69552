package io.sluice.storage.journal;

/** What room is set aside for. */
enum ReservationKind {
    /** One entry. */
    ENTRY(false, false),
    /** A batch's entry and the one, without payload, of the segment that it begins. */
    WITH_SEGMENT(true, false),
    /** One entry of a coordinator's own state, which may use the room kept from the others. */
    FOR_COORDINATOR(false, true),
    /** As the two before together. */
    FOR_COORDINATOR_WITH_SEGMENT(true, true),
    /** An entry that makes others releasable: the bound on what a restart replays does not hold for it. */
    FOR_CHECKPOINT(false, false);

    private final boolean withSegment;
    private final boolean forCoordinator;

    ReservationKind(boolean withSegment, boolean forCoordinator) {
        this.withSegment = withSegment;
        this.forCoordinator = forCoordinator;
    }

    /** Whether a second entry, without payload, goes with it. */
    boolean hasSegment() {
        return withSegment;
    }

    boolean isForCoordinator() {
        return forCoordinator;
    }

    /** Whether it must leave alone what is kept for coordinators. */
    boolean leavesRoom() {
        return !forCoordinator && this != FOR_CHECKPOINT;
    }

    static ReservationKind forCoordinator(boolean withSegment) {
        return withSegment ? FOR_COORDINATOR_WITH_SEGMENT : FOR_COORDINATOR;
    }
}
