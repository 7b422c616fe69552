package io.sluice.broker.share;

/** Somebody who waits to be given records of share partitions. */
interface ShareTurn {
    /**
     * It is its turn: nobody else reads the partition for the group until {@link ServedSharePartition#end}. On any thread; must
     * not block.
     */
    void onTurn(ServedSharePartition partition);

    /** The partition is not served any more. On any thread. */
    void onLost(ServedSharePartition partition);
}
