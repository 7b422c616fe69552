package io.sluice.storage.metadata;

/**
 * The numbers that the metadata has given to logs. Each is durable there before a log has it, so a log with a greater one is
 * newer than the metadata.
 *
 * @param firstFreeLogId log ids are below
 * @param leaderEpoch the node's newest, or -1 where it has never begun a run
 */
public record GivenNumbers(long firstFreeLogId, int leaderEpoch) {
    /** Of logs without metadata: whatever they have is as good. */
    public static final GivenNumbers ANY = new GivenNumbers(Long.MAX_VALUE, Integer.MAX_VALUE);
}
