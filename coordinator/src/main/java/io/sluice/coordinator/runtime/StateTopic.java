package io.sluice.coordinator.runtime;

import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One incarnation of the topic that a coordinator keeps its state in: translates the library's partitions into ours and
 * knows under which leader epoch each is served here. Safe on every thread.
 */
public final class StateTopic {
    private final String name;
    private final TopicId id;
    private final int partitions;
    private final PartitionLogStore logs;
    private final Map<Integer, Integer> leaderEpochs = new ConcurrentHashMap<>();

    /** Nothing is elected yet. */
    public StateTopic(String name, TopicId id, int partitions, PartitionLogStore logs) {
        this.name = name;
        this.id = id;
        this.partitions = partitions;
        this.logs = logs;
    }

    String name() {
        return name;
    }

    /** The topic's id. */
    public TopicId id() {
        return id;
    }

    /** How many it has. */
    public int partitions() {
        return partitions;
    }

    /** Ours. */
    public PartitionId partitionId(int partition) {
        return new PartitionId(id, partition);
    }

    @Nullable PartitionLog log(TopicPartition partition) {
        return name.equals(partition.topic()) ? logs.find(partitionId(partition.partition())) : null;
    }

    /** Whether state can be served from the partition's log, at once or when it has recovered. */
    boolean isUsable(int partition) {
        PartitionLog log = logs.find(partitionId(partition));
        return log != null && log.state() != LogState.FAILED && log.state() != LogState.DELETED;
    }

    boolean isServing(int partition) {
        PartitionLog log = logs.find(partitionId(partition));
        return log != null && log.state() == LogState.SERVING;
    }

    /** Does something unless the election has been given up; until it is done, no other thread can give it up. */
    synchronized boolean whileElected(int partition, int leaderEpoch, BooleanSupplier action) {
        return leaderEpoch >= 0 && leaderEpoch(partition) == leaderEpoch && action.getAsBoolean();
    }

    synchronized void setElected(int partition, int leaderEpoch) {
        leaderEpochs.put(partition, leaderEpoch);
    }

    /** Whether it was elected before. */
    synchronized boolean clearElected(int partition) {
        return leaderEpochs.remove(partition) != null;
    }

    /** Whether it was elected under this epoch before, and is not any more. */
    synchronized boolean clearElected(int partition, int leaderEpoch) {
        return leaderEpochs.remove(partition, leaderEpoch);
    }

    /** The epoch under which the partition was elected here, or -1. */
    public int leaderEpoch(int partition) {
        return leaderEpochs.getOrDefault(partition, -1);
    }
}
