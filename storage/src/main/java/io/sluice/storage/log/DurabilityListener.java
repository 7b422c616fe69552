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

    /**
     * Everything below {@code offset} is durable, which may be beyond what was waited for. Called once for each {@link
     * PartitionLog#awaitDurable}, in the order of the offsets waited for.
     */
    void onDurable(PartitionLog log, long offset);

    /**
     * The flush failed: whether the records from {@code offset} on survive is unknown. Called instead of {@link #onDurable}.
     * Answer KAFKA_STORAGE_ERROR.
     */
    void onUnknown(PartitionLog log, long offset, IOException cause);
}
