package io.sluice.cli.record;

import io.sluice.base.error.UserException;
import java.util.Optional;

/** Finds out why nothing is acknowledged. For one thread. */
interface SendProbe {
    /** Knows nothing. */
    SendProbe NONE = partitionsBefore -> Optional.empty();

    /**
     * What a node says about the topic, and about producers. Blocks, within a time.
     *
     * @param partitionsBefore how many the topic had when records were sent, or 0 where that is not known
     * @return empty where nothing is wrong with either, or nothing was heard
     */
    Optional<UserException> ask(int partitionsBefore);
}
