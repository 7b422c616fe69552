package io.sluice.storage.metadata;

import io.sluice.base.id.PartitionId;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Writes down what it is asked to do; logs open when the test says so. */
final class RecordingLogStore implements PartitionLogStore {
    final List<String> asked = new ArrayList<>();
    private final Map<PartitionId, CompletableFuture<PartitionLog>> opening = new LinkedHashMap<>();

    /** A topic that cannot be opened or configured, because of a defect; empty for none. */
    String defective = "";

    /** Lets everything that was asked to open serve. */
    void serveAll() {
        List.copyOf(opening.values()).forEach(future -> future.complete(log()));
        opening.clear();
    }

    /** Lets the first that waits fail to open. */
    void failOne() {
        PartitionId first = opening.keySet().iterator().next();
        CompletableFuture<PartitionLog> future = opening.remove(first);
        if (future != null) {
            future.completeExceptionally(new IOException("the disk refuses"));
        }
    }

    @Override
    public @Nullable PartitionLog find(PartitionId partition) {
        return null;
    }

    @Override
    public CompletionStage<PartitionLog> open(
            PartitionId partition, String topicName, long logId, int leaderEpoch, Map<String, String> configs) {
        if (topicName.equals(defective)) {
            throw new IllegalStateException("a defect");
        }
        asked.add("open " + topicName + "-" + partition.partition() + " epoch " + leaderEpoch + " " + configs);
        CompletableFuture<PartitionLog> future = new CompletableFuture<>();
        opening.put(partition, future);
        return future;
    }

    @Override
    public void configure(PartitionId partition, Map<String, String> configs) {
        if (configs.containsValue(defective)) {
            throw new IllegalStateException("a defect");
        }
        asked.add("configure " + partition.partition() + " " + configs);
    }

    @Override
    public void delete(PartitionId partition) {
        asked.add("delete " + partition.partition());
    }

    @Override
    public void awaitCapacity(Executor executor, Runnable task) {
        throw new UnsupportedOperationException("nobody appends here");
    }

    @Override
    public void close() {}

    /** A log that nobody calls. */
    private static PartitionLog log() {
        return (PartitionLog) Proxy.newProxyInstance(
                PartitionLog.class.getClassLoader(),
                new Class<?>[] {PartitionLog.class},
                (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
    }
}
