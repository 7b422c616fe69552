package io.sluice.coordinator.group;

/** Where a group's coordinator is. */
public sealed interface GroupLocation {
    /** On this node; the id is the owner's of the group's partition. */
    record At(int nodeId) implements GroupLocation {}

    /**
     * Nowhere for the moment: COORDINATOR_NOT_AVAILABLE, the client asks again.
     *
     * @param detail one line for the client
     */
    record Unavailable(String detail) implements GroupLocation {}
}
