package io.sluice.coordinator.share;

/**
 * Records that a member has acquired.
 *
 * @param deliveryCount how many times they have been delivered, this time included
 */
public record AcquiredRange(long firstOffset, long lastOffset, short deliveryCount) {
    /** Offsets in it. */
    public long size() {
        return lastOffset - firstOffset + 1;
    }
}
