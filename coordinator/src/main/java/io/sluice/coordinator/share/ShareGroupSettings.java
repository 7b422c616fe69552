package io.sluice.coordinator.share;

/**
 * How a share group treats the records of a partition, as it is set now.
 *
 * @param deliveryLimit how many times a record is delivered until it is given up
 * @param lockMillis how long a member may keep a record without acknowledging it
 * @param maxRecordLocks most records in flight in one partition
 * @param renewEnabled whether members may prolong their locks (KIP-1222)
 * @param readCommitted whether records of transactions that are open or aborted are left out
 * @param deadLetters whether what is given up goes to a dead letter queue
 * @param offsetReset where the group begins in a partition, as in {@code share.auto.offset.reset}
 */
public record ShareGroupSettings(
        int deliveryLimit,
        int lockMillis,
        int maxRecordLocks,
        boolean renewEnabled,
        boolean readCommitted,
        boolean deadLetters,
        String offsetReset) {}
