package io.sluice.coordinator.runtime;

/** Where the coordinator of a group, a transactional id or a share partition is. */
public sealed interface CoordinatorLocation {
    /** On this node; the id is the owner's of the partition that holds the key. */
    record At(int nodeId) implements CoordinatorLocation {}

    /**
     * Nowhere for the moment: COORDINATOR_NOT_AVAILABLE, the client asks again.
     *
     * @param detail one line for the client
     */
    record Unavailable(String detail) implements CoordinatorLocation {}
}
