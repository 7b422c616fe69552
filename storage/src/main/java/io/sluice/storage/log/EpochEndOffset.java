package io.sluice.storage.log;

/**
 * Where an epoch ends.
 *
 * @param leaderEpoch the largest epoch known that is not above the one asked for, or -1
 * @param endOffset the offset after its last record, or -1
 */
public record EpochEndOffset(int leaderEpoch, long endOffset) {
    /** Nothing is known of such an epoch. */
    public static final EpochEndOffset UNKNOWN = new EpochEndOffset(-1, -1);
}
