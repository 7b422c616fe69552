package io.sluice.base.ownership;

import io.sluice.base.id.PartitionId;

/**
 * The port through which everybody learns who serves a partition. On one node the answer is always this node; the
 * leader epoch grows after every unclean stop. In a cluster it follows the metadata store. Safe on every thread; answers
 * come from memory.
 */
public interface Ownership {
    /** Answer of {@link #ownerOf} for a partition that nobody serves. */
    int NOBODY = -1;

    /** This node's id. */
    int localNodeId();

    /** The node that serves the partition now, or {@link #NOBODY}. */
    int ownerOf(PartitionId partition);

    /** The partition's leader epoch, or -1 when the partition is unknown. */
    int leaderEpochOf(PartitionId partition);

    /** Whether this node serves the partition now. */
    default boolean isLocal(PartitionId partition) {
        return ownerOf(partition) == localNodeId();
    }

    /** Adds a listener, which first hears {@code onAcquired} for everything owned already. */
    void addListener(OwnershipListener listener);

    /** Hears of partitions that come and go. Called in order, on the metadata thread; must not block. */
    interface OwnershipListener {
        /** This node serves the partition from now on, under this epoch. */
        void onAcquired(PartitionId partition, int leaderEpoch);

        /** This node must no longer serve the partition. */
        void onReleased(PartitionId partition);
    }
}
