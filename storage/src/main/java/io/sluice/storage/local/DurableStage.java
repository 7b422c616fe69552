package io.sluice.storage.local;

import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.PartitionLog;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A waiter for durability that completes a stage, on the engine's thread. */
record DurableStage(CompletableFuture<Long> stage, long result) implements DurabilityListener {
    static DurabilityListener completing(CompletableFuture<Long> stage, long result) {
        return new DurableStage(stage, result);
    }

    @Override
    public Executor executor() {
        return Runnable::run;
    }

    @Override
    public void onDurable(PartitionLog log, long offset) {
        stage.complete(result);
    }

    @Override
    public void onUnknown(PartitionLog log, long offset, IOException cause) {
        stage.completeExceptionally(cause);
    }
}
