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
final class MetadataMatch {
    private MetadataMatch() {}

    /**
     * Checks all logs that were recovered, before anything of them is deleted.
     *
     * @throws UserException where one has a number that the metadata has not given yet
     */
    static void require(Path directory, Collection<RecoveredLog> recovered, GivenNumbers given) {
        for (RecoveredLog log : recovered) {
            LogContents contents = log.contents();
            long logId = contents.identity().logId();
            int epoch = contents.epochs().latest();
            if (logId >= given.firstFreeLogId()) {
                throw older(
                        directory,
                        log,
                        "has number " + logId + ", and the metadata has given those below " + given.firstFreeLogId());
            }
            if (epoch > given.leaderEpoch()) {
                throw older(
                        directory,
                        log,
                        "was served under leader epoch " + epoch + ", and the metadata "
                                + (given.leaderEpoch() < 0 ? "knows none" : "has got to " + given.leaderEpoch()));
            }
        }
    }

    private static UserException older(Path directory, RecoveredLog log, String why) {
        return new UserException(
                ExitCode.BAD_DATA,
                "The metadata of " + directory + " is older than its logs and journal: the log of "
                        + log.contents().identity().displayName() + " " + why
                        + ". Nothing was deleted. Restore the data directory and its journal (sluice.journal.dir) from"
                        + " one copy. To give up all that was written since the copy that is there now was made, if it is"
                        + " one of the whole data directory, move what is in the journal directory away and start once"
                        + " with sluice.journal.accept.loss=true.");
    }
}
