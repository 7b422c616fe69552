package io.sluice.coordinator.share;

import org.apache.kafka.common.protocol.Errors;

/** Hears of one share partition, on whatever thread it happens and under no lock. Must not block. */
public interface SharePartitionListener {
    /** There may be more to deliver now: something was given back, or the window has room again. */
    void onAvailable();

    /** It is of no use any more: somebody else keeps its state, or nobody. It answers the error from now on. */
    void onLost(Errors error);
}
