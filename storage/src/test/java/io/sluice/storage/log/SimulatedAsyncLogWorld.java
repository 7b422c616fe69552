package io.sluice.storage.log;

import io.sluice.base.id.PartitionId;
import io.sluice.base.time.SimulatedTime;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.log.SimulatedAsyncPartitionLog.Stored;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Logs whose storage answers late and, between partitions, in any order: as a cluster's does. Of one log, confirmations
 * come in the order of its appends. Whatever engine keeps the contract in this world and in the local one may be put
 * behind the broker. For one thread; same seed, same order.
 */
public final class SimulatedAsyncLogWorld implements LogWorld, PartitionLogStore {
    private final SimulatedTime time = new SimulatedTime(1_700_000_000_000L);
    private final Random random;
    private final List<Runnable> late = new ArrayList<>();
    private final List<Runnable> waitingForRoom = new ArrayList<>();
    private final Map<Long, Stored> storage = new HashMap<>();
    private final Map<PartitionId, SimulatedAsyncPartitionLog> logs = new HashMap<>();
    private final Map<PartitionId, Long> logIds = new HashMap<>();
    private long maxPendingBytes = Long.MAX_VALUE;

    /** A world of this seed, without logs. */
    public SimulatedAsyncLogWorld(long seed) {
        random = new Random(seed);
    }

    // ---- what logs use ----

    void later(Executor executor, Runnable task) {
        late.add(() -> executor.execute(task));
    }

    boolean hasRoom(int bytes) {
        long pending = logs.values().stream()
                .mapToLong(SimulatedAsyncPartitionLog::pendingBytes)
                .sum();
        return pending + bytes <= maxPendingBytes;
    }

    Stored stored(PartitionLog log) {
        return storage.computeIfAbsent(Objects.requireNonNull(logIds.get(log.id())), id -> new Stored());
    }

    // ---- the world ----

    @Override
    public PartitionLogStore store() {
        return this;
    }

    @Override
    public SimulatedTime time() {
        return time;
    }

    /** Confirms one log after the other, in random order, and answers in between. */
    @Override
    public void settle() {
        List<SimulatedAsyncPartitionLog> pending = pendingLogs();
        while (!pending.isEmpty() || !late.isEmpty()) {
            runTasks();
            if (!pending.isEmpty()) {
                SimulatedAsyncPartitionLog next = pending.get(random.nextInt(pending.size()));
                next.confirm(stored(next));
            }
            pending = pendingLogs();
        }
        List<Runnable> waiters = List.copyOf(waitingForRoom);
        waitingForRoom.clear();
        waiters.forEach(Runnable::run);
    }

    private List<SimulatedAsyncPartitionLog> pendingLogs() {
        return logs.values().stream()
                .filter(log -> log.isPending() && log.state() != LogState.FAILED)
                .toList();
    }

    @Override
    public void runTasks() {
        while (!late.isEmpty()) {
            late.remove(random.nextInt(late.size())).run();
        }
    }

    @Override
    public void restart() {
        settle();
        logs.clear();
    }

    @Override
    public void failWrites() {
        IOException cause = new IOException("simulated loss of the storage");
        List.copyOf(logs.values()).forEach(log -> log.fail(LogState.FAILED, cause));
    }

    @Override
    public void limitPendingBytes(long bytes) {
        maxPendingBytes = bytes;
    }

    // ---- the store ----

    @Override
    public @Nullable PartitionLog find(PartitionId partition) {
        return logs.get(partition);
    }

    @Override
    public CompletionStage<PartitionLog> open(
            PartitionId partition, String topicName, long logId, int leaderEpoch, Map<String, String> configs) {
        CompletableFuture<PartitionLog> opened = new CompletableFuture<>();
        later(Runnable::run, () -> {
            logIds.put(partition, logId);
            Stored stored = storage.computeIfAbsent(logId, id -> new Stored());
            SimulatedAsyncPartitionLog log =
                    new SimulatedAsyncPartitionLog(this, partition, TopicDefaults.NONE.topicConfig(configs), stored);
            stored.epochs.add(new long[] {leaderEpoch, log.endOffset()});
            log.toServing(leaderEpoch);
            logs.put(partition, log);
            opened.complete(log);
        });
        return opened;
    }

    @Override
    public void configure(PartitionId partition, Map<String, String> configs) {
        // settings are taken at opening
    }

    @Override
    public void delete(PartitionId partition) {
        SimulatedAsyncPartitionLog log = logs.remove(partition);
        if (log != null) {
            storage.remove(logIds.remove(partition));
            log.fail(LogState.DELETED, new IOException("deleted"));
        }
    }

    @Override
    public void awaitCapacity(Executor executor, Runnable task) {
        waitingForRoom.add(() -> executor.execute(task));
    }

    @Override
    public void close() {
        logs.clear();
    }
}
