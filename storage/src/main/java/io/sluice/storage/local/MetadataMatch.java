package io.sluice.storage.local;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.content.RecoveredLog;
import io.sluice.storage.metadata.GivenNumbers;
import java.nio.file.Path;
import java.util.Collection;

/**
 * Whether the metadata is as new as the logs. An older copy does not know the newest logs, which would be deleted, nor the
 * newest leader epochs, which would be given a second time.
 */
record MetadataMatch(Path directory, GivenNumbers given) {
    /**
     * Checks the logs as the catalogue has them, before the journal is replayed into them.
     *
     * @throws UserException where one has a number that the metadata has not given yet
     */
    void requireAsNewAsCatalogue(Collection<RecoveredLog> logs) {
        require(logs, "logs", "");
    }

    /**
     * Checks the logs that were recovered, before anything of them is deleted. The catalogue having passed, it is the journal
     * that is newer: without it a start is possible.
     *
     * @throws UserException where one has a number that the metadata has not given yet
     */
    void requireAsNewAsJournal(Collection<RecoveredLog> logs) {
        require(
                logs,
                "logs and journal",
                " To give up all that was written since the copy that is there now was made, move what is in the journal"
                        + " directory away and start once with sluice.journal.accept.loss=true.");
    }

    private void require(Collection<RecoveredLog> logs, String newer, String more) {
        for (RecoveredLog log : logs) {
            LogContents contents = log.contents();
            long logId = contents.identity().logId();
            int epoch = contents.epochs().latest();
            if (logId >= given.firstFreeLogId()) {
                throw older(
                        newer,
                        log,
                        "has number " + logId + ", and the metadata has given those below " + given.firstFreeLogId(),
                        more);
            }
            if (epoch > given.leaderEpoch()) {
                throw older(
                        newer,
                        log,
                        "was served under leader epoch " + epoch + ", and the metadata "
                                + (given.leaderEpoch() < 0 ? "knows none" : "has got to " + given.leaderEpoch()),
                        more);
            }
        }
    }

    private UserException older(String newer, RecoveredLog log, String why, String more) {
        return new UserException(
                ExitCode.BAD_DATA,
                "The metadata of " + directory + " is older than its " + newer + ": the log of "
                        + log.contents().identity().displayName() + " " + why
                        + ". Nothing was deleted. Restore the data directory and its journal (sluice.journal.dir) from"
                        + " one copy."
                        + more);
    }
}
