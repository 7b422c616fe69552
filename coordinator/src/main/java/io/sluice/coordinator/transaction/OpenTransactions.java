package io.sluice.coordinator.transaction;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetrics;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetricsShard;
import org.apache.kafka.timeline.SnapshotRegistry;
import org.apache.kafka.timeline.TimelineInteger;
import org.jspecify.annotations.Nullable;

/**
 * Counts ids and open transactions, as far as they are durable. Counting belongs to a shard's thread; what was counted can be
 * read on every thread.
 */
final class OpenTransactions extends CoordinatorMetrics {
    private static final String ONGOING = "ongoing";
    private static final String ENDING = "ending";

    private final Map<TopicPartition, Counts> active = new ConcurrentHashMap<>();
    private final Metrics metrics;

    OpenTransactions(Metrics metrics) {
        this.metrics = metrics;
        metrics.gauge(Metric.TRANSACTION_OPEN_TRANSACTIONS, () -> sum(counts -> counts.ongoing.committed), ONGOING);
        metrics.gauge(Metric.TRANSACTION_OPEN_TRANSACTIONS, () -> sum(counts -> counts.prepared.committed), ENDING);
        metrics.gauge(Metric.TRANSACTION_IDS, () -> sum(counts -> counts.ids.committed));
    }

    private int sum(ToIntFunction<Counts> which) {
        return active.values().stream().mapToInt(which).sum();
    }

    @Override
    public Counts newMetricsShard(SnapshotRegistry snapshots, TopicPartition partition) {
        return new Counts(snapshots, partition);
    }

    @Override
    public void activateMetricsShard(CoordinatorMetricsShard shard) {
        active.put(shard.topicPartition(), (Counts) shard);
    }

    @Override
    public void deactivateMetricsShard(CoordinatorMetricsShard shard) {
        active.remove(shard.topicPartition(), shard);
    }

    @Override
    public void onUpdateLastCommittedOffset(TopicPartition partition, long offset) {
        Counts counts = active.get(partition);
        if (counts != null) {
            counts.commitUpTo(offset);
        }
    }

    void close() {
        metrics.remove(Metric.TRANSACTION_OPEN_TRANSACTIONS, ONGOING);
        metrics.remove(Metric.TRANSACTION_OPEN_TRANSACTIONS, ENDING);
        metrics.remove(Metric.TRANSACTION_IDS);
    }

    /** Of one partition. */
    static final class Counts implements CoordinatorMetricsShard {
        private final TopicPartition partition;
        private final Count ids;
        private final Count ongoing;
        private final Count prepared;

        Counts(SnapshotRegistry snapshots, TopicPartition partition) {
            this.partition = partition;
            this.ids = new Count(snapshots);
            this.ongoing = new Count(snapshots);
            this.prepared = new Count(snapshots);
        }

        /** An id went from one state to another; null is none. */
        void onChange(@Nullable IdState before, @Nullable IdState after) {
            add(before, -1);
            add(after, 1);
        }

        private void add(@Nullable IdState state, int change) {
            if (state == null) {
                return;
            }
            ids.add(change);
            if (state.isOngoing()) {
                ongoing.add(change);
            } else if (state.isPrepared()) {
                prepared.add(change);
            }
        }

        @Override
        public void commitUpTo(long offset) {
            ids.commitUpTo(offset);
            ongoing.commitUpTo(offset);
            prepared.commitUpTo(offset);
        }

        @Override
        public TopicPartition topicPartition() {
            return partition;
        }

        /** Nothing is recorded by name. */
        @Override
        public void record(String sensorName) {}

        @Override
        public void record(String sensorName, double value) {}
    }

    private static final class Count {
        private final TimelineInteger value;
        private volatile int committed;

        Count(SnapshotRegistry snapshots) {
            this.value = new TimelineInteger(snapshots);
        }

        void add(int change) {
            value.set(value.get() + change);
        }

        void commitUpTo(long offset) {
            committed = value.get(offset);
        }
    }
}
