package io.sluice.coordinator.share;

/**
 * Records that a group has given up.
 *
 * @param deliveryCount how many times they were delivered
 */
public record DeadLetter(long firstOffset, long lastOffset, short deliveryCount, Cause cause) {
    /** Why. */
    public enum Cause {
        /** A member rejected them. */
        REJECTED,
        /** They were delivered as many times as the group allows. */
        DELIVERED_TOO_OFTEN
    }
}
