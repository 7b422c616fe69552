package io.sluice.coordinator.runtime;

import java.util.concurrent.CompletableFuture;

/** A coordinator running on one incarnation of its topic. Safe on every thread. */
public interface CoordinatorRun {
    /** Starts serving every partition that is ours. May take some hundred milliseconds. */
    void start();

    /** There is newer metadata. */
    void onImage();

    /** Elects or resigns the partition, whichever brings it in line with who owns it now. */
    void reconcile(int partition);

    /** Stops; completes when all has stopped. */
    CompletableFuture<Void> close();
}
