package io.sluice.storage.file;

import java.io.IOException;
import java.nio.file.Path;

/** Somebody else holds a lock file. */
public final class LockHeldException extends IOException {
    private final long holderPid;

    /**
     * Names file and holder.
     *
     * @param holderPid id of the process that holds it, or -1 when unknown
     */
    public LockHeldException(Path file, long holderPid) {
        super(file + " is held by " + (holderPid < 0 ? "another process" : "process " + holderPid));
        this.holderPid = holderPid;
    }

    /** Id of the process that holds it, or -1 when unknown. */
    public long holderPid() {
        return holderPid;
    }
}
