package io.sluice.storage.log;

/**
 * Hears that a log's visible offset, or its life, moved. Called on the engine's thread, once per flush at most: mark
 * something dirty and return.
 */
public interface VisibilityListener {
    /** The visible offset, the last stable offset or the log start offset moved. */
    void onVisible(PartitionLog log);

    /** The log was deleted, failed or stopped being served here: wake whoever waits on it. */
    void onStateChange(PartitionLog log);
}
