package io.sluice.storage.log;

/** A read under way. */
@FunctionalInterface
public interface ReadHandle {
    /** A handle for a read that has delivered its result already. */
    ReadHandle DONE = () -> false;

    /**
     * Cancels the read if its result has not been delivered yet.
     *
     * @return whether no result will be delivered
     */
    boolean cancel();
}
