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

    /** Everything below {@code offset} is durable. */
    void onDurable(PartitionLog log, long offset);

    /** The flush failed: whether the records survive is unknown. Answer KAFKA_STORAGE_ERROR. */
    void onUnknown(PartitionLog log, long offset, IOException cause);
}
