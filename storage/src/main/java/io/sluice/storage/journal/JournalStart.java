package io.sluice.storage.journal;

/**
 * Where a journal begins to write.
 *
 * @param lock guards what appenders and the flush thread share
 * @param nextSequence number of its first block
 * @param endPosition after the last entry that survived
 * @param releasedPosition nothing before it is needed
 * @param unreleased knows the blocks that survived
 */
record JournalStart(
        Object lock,
        JournalConfig config,
        JournalFiles files,
        long nextSequence,
        long endPosition,
        long releasedPosition,
        UnreleasedBytes unreleased) {}
