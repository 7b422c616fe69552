package io.sluice.coordinator.transaction;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.common.runtime.CoordinatorExecutor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetrics;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntimeMetrics;
import org.apache.kafka.coordinator.common.runtime.CoordinatorShardBuilder;
import org.apache.kafka.coordinator.common.runtime.CoordinatorTimer;
import org.apache.kafka.coordinator.common.runtime.MultiThreadedEventProcessor;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.apache.kafka.coordinator.transaction.TransactionCoordinatorRecordSerde;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.timeline.SnapshotRegistry;
import org.jspecify.annotations.Nullable;

/** Puts the library's runtime together for shards of ours. */
final class TransactionRuntime {
    /** How long a change may take to become durable until its client is told to ask again. */
    static final Duration WRITE_TIMEOUT = Duration.ofSeconds(5);

    private static final int MAX_KEPT_BUFFER_BYTES = 1 << 20;
    private static final LogContext LOG_CONTEXT = new LogContext("[Transactions] ");

    private TransactionRuntime() {}

    /** What it stands on. */
    record Parts(
            PartitionWriter writer,
            CoordinatorLoader<CoordinatorRecord> loader,
            Time time,
            Timer timer,
            CoordinatorRuntimeMetrics runtimeMetrics,
            CoordinatorMetrics metrics) {}

    /** Starts the one thread that all shards share. */
    static CoordinatorRuntime<TransactionShard, CoordinatorRecord> of(
            Parts parts, Function<TransactionShard.Surroundings, TransactionShard> shards) {
        return new CoordinatorRuntime.Builder<TransactionShard, CoordinatorRecord>()
                .withLogContext(LOG_CONTEXT)
                .withLogPrefix("Transactions")
                .withEventProcessor(new MultiThreadedEventProcessor(
                        LOG_CONTEXT, "transaction-coordinator-", 1, parts.time(), parts.runtimeMetrics()))
                .withPartitionWriter(parts.writer())
                .withLoader(parts.loader())
                .withCoordinatorShardBuilderSupplier(() -> new Builder(shards))
                .withTime(parts.time())
                .withTimer(parts.timer())
                .withWriteTimeout(WRITE_TIMEOUT)
                .withCoordinatorRuntimeMetrics(parts.runtimeMetrics())
                .withCoordinatorMetrics(parts.metrics())
                .withSerializer(new TransactionCoordinatorRecordSerde())
                .withCompression(Compression.NONE)
                .withAppendLingerMs(OptionalInt.empty())
                .withExecutorService(neverUsed())
                .withCachedBufferMaxBytesSupplier(() -> MAX_KEPT_BUFFER_BYTES)
                .build();
    }

    /** For work that shards hand off, and ours hand off none: it starts no thread. */
    private static ThreadPoolExecutor neverUsed() {
        return new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    }

    /** Collects what a shard gets from the runtime. */
    private static final class Builder implements CoordinatorShardBuilder<TransactionShard, CoordinatorRecord> {
        private final Function<TransactionShard.Surroundings, TransactionShard> shards;
        private @Nullable SnapshotRegistry snapshots;
        private @Nullable Time time;
        private @Nullable CoordinatorTimer<CoordinatorRecord> timer;
        private @Nullable TopicPartition partition;

        Builder(Function<TransactionShard.Surroundings, TransactionShard> shards) {
            this.shards = shards;
        }

        @Override
        public Builder withSnapshotRegistry(SnapshotRegistry registry) {
            snapshots = registry;
            return this;
        }

        @Override
        public Builder withTime(Time given) {
            time = given;
            return this;
        }

        @Override
        public Builder withTimer(CoordinatorTimer<CoordinatorRecord> given) {
            timer = given;
            return this;
        }

        @Override
        public Builder withTopicPartition(TopicPartition given) {
            partition = given;
            return this;
        }

        @Override
        public Builder withLogContext(LogContext context) {
            return this;
        }

        @Override
        public Builder withExecutor(CoordinatorExecutor<CoordinatorRecord> executor) {
            return this;
        }

        @Override
        public Builder withCoordinatorMetrics(CoordinatorMetrics metrics) {
            return this;
        }

        @Override
        public TransactionShard build() {
            return shards.apply(new TransactionShard.Surroundings(
                    Objects.requireNonNull(partition),
                    Objects.requireNonNull(time),
                    Objects.requireNonNull(timer),
                    Objects.requireNonNull(snapshots)));
        }
    }
}
