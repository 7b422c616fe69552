package io.sluice.coordinator.share;

/**
 * What is kept of a run of records in flight.
 *
 * @param state 0 available, 2 acknowledged, 3 being archived, 4 archived
 */
public record SavedRange(long firstOffset, long lastOffset, byte state, short deliveryCount) {
    /** To be delivered, again or for the first time. */
    public static final byte AVAILABLE = 0;

    /** Accepted. */
    public static final byte ACKNOWLEDGED = 2;

    /** Given up, and not yet in the dead letter queue for certain. */
    public static final byte ARCHIVING = 3;

    /** Given up, rejected, or not there. */
    public static final byte ARCHIVED = 4;
}
