package io.sluice.storage.log;

import java.io.IOException;
import java.util.concurrent.Executor;

/**
 * Waits for durability. The engine hands all listeners of one executor that a flush completes over in a single task, so
 * a flush costs one wake-up per event loop.
 */
public interface DurabilityListener {
    /** Where the calls below run. */
    Executor executor();

    /** Everything below {@code offset} is durable; it may lie above the one waited for. */
    void onDurable(PartitionLog log, long offset);

    /**
     * The flush failed: whether the records from the log's durable offset on survive is unknown. Answer
     * KAFKA_STORAGE_ERROR.
     *
     * @param offset how far the log was durable, or what was waited for
     */
    void onUnknown(PartitionLog log, long offset, IOException cause);
}
