package io.sluice.storage.local;

import io.sluice.base.id.PartitionId;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.journal.JournalRecovery;
import io.sluice.storage.journal.JournalResources;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import io.sluice.storage.metadata.GivenNumbers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * All logs of one data directory.
 *
 * <p>Start: {@link DataDirectory#open}, then open the journal's directory, then {@link #open} here, which recovers every
 * log; a partition is served from its {@link #open(PartitionId, String, long, int, Map)} on. The caller decides about
 * leader epochs with {@link #startedClean}. Once the metadata is known, {@link #deleteUnless} removes logs of partitions
 * that were deleted while the node was down.
 */
public final class LocalPartitionLogStore implements PartitionLogStore {
    private final LocalLogs logs;

    private LocalPartitionLogStore(LocalLogs logs) {
        this.logs = logs;
    }

    /**
     * Recovers what a data directory holds. Blocks on the disk.
     *
     * @param directory taken over: closed with the store, also when this fails
     * @param given what the metadata has given to logs; of a log that has more it is an older copy
     * @param recovery the journal's directory, opened and not replayed yet
     * @param journalResources for the journal
     * @throws IOException if the directory cannot be read, or holds less than was acknowledged
     * @throws io.sluice.base.error.UserException if the metadata is older than the logs, before any of them is deleted
     */
    public static LocalPartitionLogStore open(
            DataDirectory directory,
            GivenNumbers given,
            JournalRecovery recovery,
            JournalResources journalResources,
            LocalStorageConfig config,
            LocalStorageServices services)
            throws IOException {
        return new LocalPartitionLogStore(
                LocalLogs.open(directory, given, recovery, journalResources, config, services));
    }

    /**
     * Whether the last run ended with a clean stop and nothing can have been lost since; false asks for a larger leader epoch
     * of every partition. A clean stop does not force logs that bypass the journal: where there are such, the power may have
     * failed after it, and an offset must not be given twice under one epoch.
     */
    public boolean startedClean() {
        return logs.startedClean();
    }

    /** The newest leader epoch that a recovered or open log knows; empty where there is no such log. */
    public OptionalInt recoveredLeaderEpoch(long logId) {
        return logs.recoveredLeaderEpoch(logId);
    }

    /** What topics inherit from the node; applies to all logs, open ones included, from now on. */
    public void setDefaults(TopicDefaults defaults) {
        logs.setDefaults(defaults);
    }

    /** Deletes recovered logs, not opened yet, whose number the predicate does not accept, and logs their names. */
    public void deleteUnless(LongPredicate known) {
        logs.deleteUnless(known);
    }

    @Override
    public @Nullable PartitionLog find(PartitionId partition) {
        return logs.find(partition);
    }

    /** All open logs. */
    public Collection<? extends PartitionLog> logs() {
        return logs.all();
    }

    @Override
    public CompletionStage<PartitionLog> open(
            PartitionId partition, String topicName, long logId, int leaderEpoch, Map<String, String> configs) {
        return logs.openLog(partition, topicName, logId, leaderEpoch, configs);
    }

    @Override
    public void configure(PartitionId partition, Map<String, String> configs) {
        logs.configure(partition, configs);
    }

    @Override
    public void delete(PartitionId partition) {
        logs.delete(partition);
    }

    @Override
    public void awaitCapacity(Executor executor, Runnable task) {
        logs.journal().awaitCapacity(() -> executor.execute(task));
    }

    /** Whether every log of the store is fenced after a failed write: {@link LogState#FAILED} until a restart. */
    public boolean isFenced() {
        return logs.isFenced();
    }

    /** The write that failed; null as long as the store is not fenced. */
    public @Nullable IOException fenceCause() {
        return logs.fenceCause();
    }

    /** The open logs of which not everything is served, by name. */
    public List<QuarantinedLog> quarantined() {
        return logs.quarantined();
    }

    /** Whether producers are refused because the device of the data directory is almost full. */
    public boolean isLowOnSpace() {
        return logs.isLowOnSpace();
    }

    /** What the journal lacks to make its next file, room or a descriptor, if that is why appends are refused; else null. */
    public @Nullable IOException journalShortage() {
        return logs.journal().shortage();
    }

    /** Appends nothing any more, as after a write that failed: what was written may not be kept. Says so in the log. */
    public void fence(IOException cause) {
        logs.fence(cause);
    }

    /** The journal's file that is written now, or null; one before it may be gone once it is another. */
    public @Nullable Path journalFile() {
        return logs.journal().file();
    }

    /** Makes a checkpoint now, on the maintenance executor, and completes when it is done. */
    public CompletionStage<Void> checkpoint() {
        return logs.checkpointer().runSoon();
    }

    @Override
    public void close() {
        logs.close();
    }
}
